import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startIcmp, type IcmpClient } from '../../../../../agent/probes/icmp/client.ts';
import { needRawSockets, never, openLab, type Lab } from '../../../../support/icmp-lab.ts';
import { startResponder, type Responder } from '../../../../support/icmp-responder.ts';
import { rawPermission } from '../../../../support/raw-permission.ts';

/** The ICMP process with the same identifier, sequences and cookies every time. */
const entry = fileURLToPath(new URL('../../../../support/icmp-fixed-process.ts', import.meta.url));
const twin = [execPath, '--import', 'tsx', entry];

let lab: Lab;
let other: IcmpClient;
let responder: Responder;

beforeEach(needRawSockets);
beforeAll(async () => {
  if (rawPermission.unshare === null) return;
  lab = await openLab(twin);
  other = startIcmp({ command: lab.network.inside(...twin) });
  responder = await startResponder(lab.network);
});
afterAll(async () => {
  await responder?.close();
  await other?.close();
  await lab?.close();
});

test('an agent with the same identifier, sequence and cookie does not make a dead host look alive', async () => {
  await Promise.all([lab.icmp.able(), other.able(), responder.answer('127.9.1.1', [{ afterMs: 100 }])]);
  const [alive, dead] = await Promise.all([
    lab.icmp.ping('127.9.1.1', 4, 2, 5000, never),
    other.ping('127.9.1.2', 4, 2, 600, never),
  ]);
  const numbers = responder.asked.map(({ to, identifier, sequence }) => ({ to, number: `${identifier}/${sequence}` }));
  const [first, second] = ['127.9.1.1', '127.9.1.2'].map((host) => numbers.filter(({ to }) => to === host));
  expect(first?.map(({ number }) => number)).toEqual(second?.map(({ number }) => number));
  expect(alive).toMatchObject({ sent: 2, received: 2 });
  expect(dead).toMatchObject({ sent: 2, received: 0, problem: null });
});
