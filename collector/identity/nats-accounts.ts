import { decode, type Account } from '@nats-io/jwt';
import type { NatsConnection } from '@nats-io/transport-node';
import type pg from 'pg';
import { z } from 'zod';
import { withRegionAccounts, type RegionAccount } from '../../db/nats-accounts.ts';
import type { NatsAuthority } from '../../identity/nats-accounts.ts';
import type { Logger } from '../../runtime/logger.ts';
import { createBackoff } from '../../runtime/time.ts';
import { createGate } from '../gate.ts';

/** All accounts are looked at this often, whatever was heard. */
const LOOK_EVERY_MS = 30_000;
const RETRY_MIN_MS = 200;
const RETRY_MAX_MS = 2000;
const ANSWER_MS = 2000;

export interface NatsAccountsParts {
  pool: pg.Pool;
  authority: NatsAuthority;
  /** Opens a connection of the system account; tries until the signal aborts, and then rejects. */
  connect: (signal: AbortSignal) => Promise<NatsConnection>;
  logger: Logger;
}

/** Keeps the regions' accounts at NATS equal to the database: who is revoked there is refused. */
export interface NatsAccounts {
  /** An agent was made or revoked. */
  changed(): void;
  /** What keeps it from telling NATS; null: nothing. */
  problem(): string | null;
  run(signal: AbortSignal): Promise<void>;
}

export function createNatsAccounts(parts: NatsAccountsParts): NatsAccounts {
  const due = createGate();
  let problem: string | null = 'not told yet';
  const changed = (): void => due.open();
  const keepOver = async (nats: NatsConnection, signal: AbortSignal): Promise<void> => {
    const backoff = createBackoff(RETRY_MIN_MS, RETRY_MAX_MS);
    void followReconnects(nats, changed);
    while (!signal.aborted && !nats.isClosed()) {
      let waitMs = LOOK_EVERY_MS;
      try {
        await withRegionAccounts(parts.pool, (accounts) => tellAll(nats, accounts, parts));
        problem = null;
        backoff.reset();
      } catch (error) {
        problem = 'revocations are not told to NATS';
        parts.logger.warn({ err: error }, 'nats accounts not told, trying again');
        waitMs = backoff.next();
      }
      await due.opened(waitMs, signal);
    }
  };
  return {
    changed,
    problem: () => problem,
    async run(signal) {
      while (!signal.aborted) {
        let nats: NatsConnection;
        try {
          nats = await parts.connect(signal);
        } catch (error) {
          if (signal.aborted) return;
          throw error;
        }
        await keepOver(nats, signal);
        await nats.close();
      }
    },
  };
}

/** While the server was away it may have lost what it knew. */
async function followReconnects(nats: NatsConnection, changed: () => void): Promise<void> {
  for await (const { type } of nats.status()) if (type === 'reconnect' || type === 'close') changed();
}

async function tellAll(
  nats: NatsConnection,
  accounts: readonly RegionAccount[],
  { authority, logger }: NatsAccountsParts,
): Promise<void> {
  const known = await listAccounts(nats);
  for (const { region, revoked } of accounts) {
    const { publicKey, jwt } = await authority.regionAccount(region, revoked);
    if (known.has(publicKey) && saysTheSame(await lookUp(nats, publicKey), revoked)) continue;
    await nats.request('$SYS.REQ.CLAIMS.UPDATE', jwt, { timeout: ANSWER_MS });
    // A server keeps the newer of two by the clocks of those who signed them: what it keeps is what counts.
    if (!saysTheSame(await lookUp(nats, publicKey), revoked)) throw new Error(`the account of ${region} was not taken`);
    logger.info({ region, revoked: revoked.length }, 'nats account told');
  }
}

const accountList = z.object({ data: z.array(z.string()) });

async function listAccounts(nats: NatsConnection): Promise<Set<string>> {
  const answer = await nats.request('$SYS.REQ.CLAIMS.LIST', '', { timeout: ANSWER_MS });
  return new Set(accountList.parse(answer.json()).data);
}

/** The JWT of an account as the server has it. A server does not answer for one that it has not. */
async function lookUp(nats: NatsConnection, publicKey: string): Promise<string> {
  const answer = await nats.request(`$SYS.REQ.ACCOUNT.${publicKey}.CLAIMS.LOOKUP`, '', { timeout: ANSWER_MS });
  return answer.string();
}

function saysTheSame(jwt: string, revoked: readonly string[]): boolean {
  const { revocations = {} } = decode<Account>(jwt).nats;
  return Object.keys(revocations).sort().join() === [...revoked].sort().join();
}
