import { spawn } from 'node:child_process';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { muteEcho, type Network } from './network.ts';

/** One packet that is sent for each echo request to an address. By default the true reply, at once. */
export interface Answer {
  afterMs?: number;
  /** Another sender than the address that was asked. */
  from?: string;
  /** An ICMP error instead of a reply; it quotes the request, or so many bytes of it, or one between others. */
  error?: { type: number; code: number; quoteBytes?: number; quoteFrom?: string; quoteTo?: string };
  /** Bytes to invert after type, code and checksum: 0 is the identifier's first, 4 the payload's. */
  flip?: number[];
  /** Cut off after so many bytes behind the checksum. */
  restBytes?: number;
  breakChecksum?: boolean;
}

export interface Asked {
  kind: 'asked';
  from: string;
  to: string;
  identifier: number;
  sequence: number;
}

export type FromResponder = Asked | { kind: 'ready'; key: number };
export interface ToResponder {
  key: number;
  to: string;
  answers: Answer[];
}

/** Answers the echo requests of a namespace as a test says; what it says nothing of stays silent. */
export interface Responder {
  answer(to: string, answers: Answer[]): Promise<void>;
  /** Every echo request seen so far. */
  readonly asked: Asked[];
  close(): Promise<void>;
}

export async function startResponder(network: Network): Promise<Responder> {
  muteEcho(network);
  const entry = fileURLToPath(new URL('./icmp-responder-process.ts', import.meta.url));
  const [file = '', ...parameters] = network.inside(execPath, '--import', 'tsx', entry);
  const child = spawn(file, parameters, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const asked: Asked[] = [];
  const waiting = new Map<number, () => void>();
  const ready = (key: number): Promise<void> => new Promise((resolve) => waiting.set(key, resolve));
  child.on('message', (message) => {
    // The process beside this file speaks here.
    const said = message as unknown as FromResponder;
    if (said.kind === 'asked') asked.push(said);
    else waiting.get(said.key)?.();
  });
  await ready(0);
  let key = 0;
  return {
    asked,
    answer(to, answers) {
      key += 1;
      const done = ready(key);
      child.send({ key, to, answers } satisfies ToResponder);
      return done;
    },
    async close() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.disconnect();
      await ended;
    },
  };
}
