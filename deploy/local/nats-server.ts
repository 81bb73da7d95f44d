import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { findNatsServer } from './nats-binary.ts';

const READY_LIMIT_MS = 20_000;

export interface NatsOptions {
  /** JetStream's files. */
  storeDir: string;
  port: number;
  /**
   * What `farwatch identity init` made for it: with that the server speaks TLS and wants credentials. Null: it takes
   * whoever comes.
   */
  identityDir: string | null;
}

/** Starts a nats-server with JetStream on loopback; the caller owns the process and ends it with SIGTERM. */
export function spawnNatsServer({ storeDir, port, identityDir }: NatsOptions, stdio: StdioOptions): ChildProcess {
  const args = ['--addr', '127.0.0.1', '--port', String(port), '--jetstream', '--store_dir', storeDir];
  if (identityDir !== null) args.push('--config', writeConfig(storeDir, identityDir));
  return spawn(findNatsServer(), args, { stdio, detached: true });
}

/** The accounts' folder is the server's own: there it keeps what collectors tell it, over restarts. */
function writeConfig(storeDir: string, identityDir: string): string {
  const accounts = readFileSync(join(identityDir, 'nats', 'accounts.conf'), 'utf8');
  const [certificate, key] = ['server.crt', 'server.key'].map((name) => quote(join(identityDir, 'nats', name)));
  const text = `${accounts}resolver: { type: full, dir: ${quote(join(storeDir, 'accounts'))}, allow_delete: false }
tls: { cert_file: ${certificate}, key_file: ${key}, timeout: 5 }
`;
  const file = join(storeDir, 'server.conf');
  writeFileSync(file, text, { mode: 0o600 });
  return file;
}

function quote(path: string): string {
  return JSON.stringify(path);
}

/** Waits until the server greets. Rejects when the process ends before. */
export async function natsReady(server: ChildProcess, port: number): Promise<void> {
  let failure: Error | null = null;
  server.once('error', (error) => (failure = error));
  const deadline = Date.now() + READY_LIMIT_MS;
  while (Date.now() < deadline) {
    if (failure !== null) throw new Error('nats-server could not be started', { cause: failure });
    if (server.exitCode !== null || server.signalCode !== null) throw new Error('nats-server ended while starting');
    if (await greets(port)) return;
    await wait(30);
  }
  throw new Error('nats-server did not answer in time');
}

/** A NATS server speaks first: `INFO {...}`. */
function greets(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const end = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(1000, () => end(false));
    socket.once('error', () => end(false));
    socket.once('close', () => end(false));
    socket.once('data', (chunk) => end(chunk.toString().startsWith('INFO')));
  });
}
