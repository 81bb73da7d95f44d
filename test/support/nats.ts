import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../deploy/local/free-port.ts';
import { natsReady, spawnNatsServer } from '../../deploy/local/nats-server.ts';
import { provideNatsServerFiles } from '../../identity/nats-server.ts';
import { NATS_NAME } from '../../proto/server-names.ts';
import { testIdentity, testIdentityDir } from './test-identity.ts';

export interface TestNats {
  url: string;
  storeDir: string;
  /** Of the server that runs now. */
  readonly pid: number;
  /** Ends the server for good and removes its files. */
  stop(): Promise<void>;
  /** SIGKILL; its files stay. */
  kill9(): Promise<void>;
  /** Starts it again on the same port and files, ending it first if it still runs. */
  restart(): Promise<void>;
}

/** A real nats-server with JetStream in a folder of its own, on a free port of loopback, which takes whoever comes. */
export function startNats(): Promise<TestNats> {
  return start(null);
}

/** The same with TLS and the accounts of the test's identity, as in production. */
export async function startSecureNats(): Promise<TestNats> {
  await provideNatsServerFiles(join(testIdentityDir, 'nats'), testIdentity, NATS_NAME);
  return start(testIdentityDir);
}

async function start(identityDir: string | null): Promise<TestNats> {
  const storeDir = mkdtempSync(join(tmpdir(), 'farwatch-nats-'));
  const port = await freePort();
  const spawn = async (): Promise<ChildProcess> => {
    const server = spawnNatsServer({ storeDir, port, identityDir }, 'ignore');
    await natsReady(server, port);
    return server;
  };
  let server = await spawn();
  return {
    url: `${identityDir === null ? 'nats' : 'tls'}://127.0.0.1:${port}`,
    storeDir,
    get pid() {
      return server.pid ?? 0;
    },
    async stop() {
      await end(server, 'SIGTERM');
      rmSync(storeDir, { recursive: true, force: true });
    },
    kill9: () => end(server, 'SIGKILL'),
    async restart() {
      await end(server, 'SIGTERM');
      server = await spawn();
    },
  };
}

function end(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    server.once('exit', () => resolve());
    server.kill(signal);
  });
}
