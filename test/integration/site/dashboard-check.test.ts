import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startAgentProcess, type AgentProcess } from '../../support/agent-process.ts';
import { startTestCollector, type TestCollector } from '../../support/collector.ts';
import { openDesk, type Desk } from '../../support/dashboard-desk.ts';
import { eventually } from '../../support/eventually.ts';
import { startNats, type TestNats } from '../../support/nats.ts';
import { createAgent, tlsOf } from '../../support/test-identity.ts';

/** All that stands between a person who runs a check once and its target: collector, bus, and an agent's process. */
let desk: Desk;
let nats: TestNats;
let collector: TestCollector;
let agent: AgentProcess;
const stateDir = mkdtempSync(join(tmpdir(), 'farwatch-desk-'));
const target: Server = createServer((socket) => socket.destroy());

beforeAll(async () => {
  [desk, nats] = await Promise.all([openDesk(), startNats()]);
  const { pool, url } = desk.test.database;
  collector = await startTestCollector(url, nats.url);
  const created = await createAgent(pool, 'near-1', 'near');
  if ('problem' in created) throw new Error(created.problem);
  const tls = tlsOf(created.token);
  agent = startAgentProcess({ collector: collector.address, natsUrl: nats.url, stateDir, region: 'near', tls });
  await pool.query(`insert into regions (name, from_minute) values ('far', now())`);
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
  await eventually('the agent to connect', 60_000, () => agent.log.some(({ msg }) => msg === 'collector reached'));
}, 180_000);
afterAll(async () => {
  target.close();
  agent.kill('SIGTERM');
  await agent.exited;
  await collector.stop();
  await desk.leave();
  await nats.stop();
  rmSync(stateDir, { recursive: true, force: true });
});

const portOf = (server: Server): number => {
  // A server that listens on TCP has such an address.
  const { port } = server.address() as AddressInfo;
  return port;
};

async function runIn(region: string): Promise<void> {
  await desk.page.getByLabel('Region', { exact: true }).selectOption(region);
  await desk.button('Run this check once').click();
}

it('runs a check that is not saved yet on an agent of the region, and shows raw what it measured', async () => {
  await desk.go('/monitors/~new');
  await desk.page.getByLabel('Kind').selectOption('IP4');
  await desk.page.getByRole('textbox', { name: 'Host', exact: true }).fill('127.0.0.1');
  await desk.page.getByLabel('Port').fill(String(portOf(target)));
  await runIn('near');
  await desk.page.getByText(/Up in [\d.]+ ms, by near-1 in near/).waitFor();
  await desk.page.getByText('What it measured').click();
  const raw: unknown = JSON.parse(await desk.page.getByLabel('The raw result').innerText());
  expect(raw).toMatchObject([
    { host: '127.0.0.1', address: '127.0.0.1', port: portOf(target), status: 'open', problem: null },
  ]);
  expect(await desk.read('/monitors')).toMatchObject({ monitors: [] });
}, 60_000);

it('says what is wrong with a target that refuses', async () => {
  const closed = createServer();
  await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
  const port = portOf(closed);
  await new Promise((resolve) => closed.close(resolve));
  await desk.page.getByLabel('Port').fill(String(port));
  await runIn('near');
  await desk.page.getByText(/Down.*by near-1 in near: Host 127\.0\.0\.1:\d+ is/).waitFor();
}, 60_000);

it('says clearly that a region has no agent, while others have', async () => {
  await runIn('far');
  await desk.page.getByRole('progressbar').waitFor();
  await desk.page.getByRole('alert').getByText('No agent of region far is connected').waitFor({ timeout: 15_000 });
  expect(await desk.page.getByLabel('The raw result').count()).toBe(0);
}, 60_000);

it('lost nobody, and was silent on the console but for what the server refused', () => {
  expect({ failures: collector.failures, stderr: agent.stderr(), faults: desk.faults() }).toEqual({
    ...{ failures: [], stderr: '', faults: [] },
  });
});
