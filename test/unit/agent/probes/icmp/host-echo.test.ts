import { describe, expect, test } from 'vitest';
import { packetTimeUs, untilGridMs } from '../../../../../agent/probes/icmp/grid.ts';
import { summariseRoundTrips } from '../../../../../agent/probes/icmp/host-echo.ts';
import { Job, type EchoRequest, type Packet } from '../../../../../agent/probes/icmp/job.ts';

describe('summariseRoundTrips', () => {
  test('gives minimum, mean, maximum and population deviation in whole microseconds', () => {
    // The textbook example of a population whose deviation is 2.
    expect(summariseRoundTrips([2, 4, 4, 4, 5, 5, 7, 9])).toEqual({ minUs: 2, avgUs: 5, maxUs: 9, deviationUs: 2 });
    expect(summariseRoundTrips([1, 2])).toEqual({ minUs: 1, avgUs: 2, maxUs: 2, deviationUs: 1 });
    expect(summariseRoundTrips([7])).toEqual({ minUs: 7, avgUs: 7, maxUs: 7, deviationUs: 0 });
  });

  test('gives nothing of nothing', () => {
    expect(summariseRoundTrips([])).toEqual({ minUs: null, avgUs: null, maxUs: null, deviationUs: null });
  });
});

const request: EchoRequest = { key: 1, address: '192.0.2.1', family: 4, count: 3, timeoutMs: 100, intervalMs: 200 };
const stalled = { reason: 'stalled' as const, detail: 'held up' };

function jobWith(count: number): Job {
  const job = new Job({ ...request, count }, 0);
  for (let slot = 0; slot < count; slot += 1) job.sent(packet(job, slot, 0));
  return job;
}

function packet(job: Job, slot: number, sentUs: number): Packet {
  return { job, slot, sentUs, landed: false, id: 0, sequence: slot, cookieHigh: 0, cookieLow: 0 };
}

describe("a host's result", () => {
  test('is dead only where every packet was judged', () => {
    const job = jobWith(3);
    job.lost();
    job.refused('host unreachable');
    expect(job.done).toBe(false);
    job.lost();
    expect(job.done).toBe(true);
    expect(job.result()).toMatchObject({ sent: 3, received: 0, error: 'host unreachable', problem: null });
  });

  test('is open where one packet proves nothing and none was answered', () => {
    const job = jobWith(3);
    job.lost();
    job.lost();
    job.voided(stalled);
    expect(job.result()).toMatchObject({ sent: 2, received: 0, problem: stalled });
  });

  test('is open where a packet could not leave and none was answered', () => {
    const job = jobWith(1);
    job.lost();
    job.unsent({ reason: 'descriptors', detail: '' });
    expect(job.result()).toMatchObject({ sent: 1, received: 0, problem: { reason: 'descriptors' } });
  });

  test('is alive with one timed reply, whatever became of the others', () => {
    const job = jobWith(3);
    job.voided(stalled);
    job.replied(1234.5);
    job.refused('host unreachable');
    expect(job.result()).toMatchObject({ sent: 2, received: 1, roundTripsUs: [1235], problem: null });
  });

  test('is open where all that answered did so while the process was held up: it has no time', () => {
    const job = jobWith(1);
    job.replied(null);
    expect(job.result()).toMatchObject({ sent: 1, received: 1, avgUs: null, problem: { reason: 'stalled' } });
  });
});

test('a host is due at its next sending or its oldest deadline, whichever comes first', () => {
  const job = new Job(request, 0);
  const first = packet(job, 0, 5000);
  job.sent(first);
  job.started = 1;
  job.nextUs = 205_000;
  expect(job.nextDueUs()).toBe(105_000);
  first.landed = true;
  expect(job.nextDueUs()).toBe(205_000);
  job.retryUs = 207_000;
  expect(job.nextDueUs()).toBe(207_000);
  job.started = 3;
  expect(job.nextDueUs()).toBe(Infinity);
});

test("packets have their place 4 ms after each of the grid's points, 20 ms apart", () => {
  expect(packetTimeUs(0)).toBe(4000);
  expect(packetTimeUs(4000)).toBe(4000);
  expect(packetTimeUs(4000.5)).toBe(24_000);
  expect(packetTimeUs(1_000_000_001_000)).toBe(1_000_000_004_000);
  expect(untilGridMs(15_000)).toBe(5);
  expect(untilGridMs(20_000)).toBe(20);
});
