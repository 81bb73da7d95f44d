import type pg from 'pg';

/** What a command says: to a person, to a script, or why it could not. */
export interface Answer {
  text: string;
  json: unknown;
  problem?: string;
}

/** What a command may be told; empty where it was not. */
export interface Options {
  name: string;
  region: string;
  email: string;
  role: string;
  /** host:port where agents reach collectors. */
  collector: string;
  /** The folder with the collectors' keys. */
  identity: string;
  minutes: string;
  to: string;
  publicUrl: string | null;
  /** Null where no password was given. */
  readPassword(): Promise<string | null>;
}

export interface Command {
  summary: string;
  /** The first of them may stand without its name. */
  needs: readonly ('name' | 'region' | 'email' | 'collector' | 'identity' | 'to')[];
  takes?: readonly ('role' | 'name' | 'minutes')[];
  run: (pool: pg.Pool, options: Options) => Promise<Answer>;
}

/** A command that needs no database. */
export interface LoneCommand extends Omit<Command, 'run'> {
  runAlone: (options: Options) => Promise<Answer>;
}

export function failed(problem: string): Answer {
  return { text: '', json: null, problem };
}

export function table(rows: readonly (readonly (string | number)[])[]): string {
  return rows.map((row) => row.join('\t')).join('\n');
}
