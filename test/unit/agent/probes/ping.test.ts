import { expect, test } from 'vitest';
import { summariseRoundTrips, type HostEcho } from '../../../../agent/probes/icmp/host-echo.ts';
import { totalPackets } from '../../../../agent/probes/ping.ts';

function echo(sent: number, roundTripsUs: number[]): HostEcho {
  const times = summariseRoundTrips(roundTripsUs);
  return { sent, received: roundTripsUs.length, ...times, roundTripsUs, error: null, problem: null };
}

test('packet statistics are over the replies of all hosts, not over the hosts', () => {
  const total = totalPackets([echo(3, [100, 100, 100]), echo(3, [500]), echo(2, [])]);
  expect(total).toEqual({ sent: 8, received: 4, minUs: 100, avgUs: 200, maxUs: 500, deviationUs: 173 });
});

test('without a host that was pinged there are no packets', () => {
  expect(totalPackets([])).toEqual({ sent: 0, received: 0, minUs: null, avgUs: null, maxUs: null, deviationUs: null });
});
