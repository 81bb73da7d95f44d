import { readFileSync } from 'node:fs';
import type { CheckResult } from '../../core/result.ts';
import { tcpResult } from './check-results.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { parseExposition, valueOf } from './exposition.ts';
import { startNats } from './nats.ts';
import { openRawAgent, type RawAgent } from './raw-agent.ts';
import { startSourceProgram, type SourceProgram } from './source-program.ts';
import { createAgent, testIdentityDir, tlsOf } from './test-identity.ts';
import { connectWireAgent, type WireAgent } from './wire-agent.ts';

/** A collector as a process of its own, an agent in good faith, and one that is not. */
export interface HostileScene {
  database: TestDatabase;
  collector: SourceProgram;
  address: string;
  /** Of the hostile agent, in region `eu`. */
  token: string;
  /** In region `eu`, too. */
  witness: WireAgent;
  /** Enrols one more agent. */
  agentOf(name: string, region: string): Promise<string>;
  /** Makes a monitor that has always been there. */
  monitor(tag: string, regions: string[] | null): Promise<number>;
  /** A result of the last minute of a monitor that runs everywhere. */
  result(): CheckResult;
  /** Opens a stream on which anything may be sent; closed with the scene's `tidy`. */
  open(token?: string): RawAgent;
  /** What the collector counts. */
  counted(name: string, labels: Record<string, string>): Promise<number>;
  /** The collector's memory. */
  residentMib(): number;
  /** Closes what was opened; the answers that the witness still gets. */
  tidy(): Promise<string[]>;
  end(): Promise<void>;
}

export const thisMinute = (): number => Math.floor(Date.now() / 60_000) * 60;

export async function openHostileScene(): Promise<HostileScene> {
  const [database, nats] = await Promise.all([createTestDatabase(), startNats()]);
  const agentOf = async (name: string, region: string): Promise<string> => {
    const created = await createAgent(database.pool, name, region);
    if ('problem' in created) throw new Error(created.problem);
    return created.token;
  };
  const [token, good] = [await agentOf('hostile', 'eu'), await agentOf('good', 'eu')];
  await agentOf('far', 'us');
  const monitorId = await addMonitor(database, 'm', null);
  const collector = startSourceProgram('collector', {
    DATABASE_URL: database.url,
    NATS_URL: nats.url,
    FARWATCH_IDENTITY_DIR: testIdentityDir,
    COLLECTOR_LISTEN: '127.0.0.1:0',
  });
  const address = await collector.logged('address');
  const health = await collector.logged('healthAddress');
  const witness = await connectWireAgent({ address, token: good, region: 'eu' });
  const raw: RawAgent[] = [];
  const result = (): CheckResult => tcpResult(monitorId, { minute: thisMinute() - 60 });
  return {
    ...{ database, collector, address, token, witness, agentOf, result },
    monitor: (tag, regions) => addMonitor(database, tag, regions),
    open(asToken = token) {
      const agent = openRawAgent(address, tlsOf(asToken));
      raw.push(agent);
      return agent;
    },
    async counted(name, labels) {
      const response = await fetch(`http://${health}/metrics`);
      return valueOf(parseExposition(await response.text()), `farwatch_collector_${name}`, labels);
    },
    residentMib() {
      const [, kib = ''] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${collector.pid}/status`, 'utf8')) ?? [];
      return Number(kib) / 1024;
    },
    async tidy() {
      for (const agent of raw.splice(0)) agent.close();
      return (await witness.send([result()])).map(({ answer }) => answer);
    },
    async end() {
      await witness.close();
      await collector.stop();
      await nats.stop();
      await database.drop();
    },
  };
}

async function addMonitor({ pool }: TestDatabase, tag: string, regions: string[] | null): Promise<number> {
  const { rows } = await pool.query<{ id: number }>(
    `insert into monitors (tag, name, status, monitor_type, include_degraded_in_downtime, is_hidden, monitor_settings_json)
     values ($1, $1, 'ACTIVE', 'API', 'NO', 'NO', $2) returning id`,
    [tag, regions && JSON.stringify({ regions })],
  );
  await pool.query(`update monitor_versions set from_minute = 'epoch'`);
  return rows[0]?.id ?? 0;
}
