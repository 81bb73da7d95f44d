import { expect, test } from 'vitest';
import { CAPACITY, Flights } from '../../../../../agent/probes/icmp/flights.ts';
import type { Echo } from '../../../../../agent/probes/icmp/packet.ts';

interface Flight extends Echo {
  slot: number;
}

const make = (echo: Echo, slot: number): Flight => ({ ...echo, slot });

/** Random bytes that count up, so that identifier and sequence begin where a test wants them. */
function counting(...first: number[]): (buffer: Buffer) => void {
  let next = 0;
  return (buffer) => {
    for (let at = 0; at < buffer.length; at += 1) buffer[at] = first[next + at] ?? at + next;
    next += 1000;
  };
}

test('a flight is found by its numbers until it lands', () => {
  const flights = new Flights<Flight>(counting());
  const flight = flights.launch(make);
  expect(flight).not.toBeNull();
  const { id, sequence, slot } = flight ?? { id: 0, sequence: 0, slot: 0 };
  expect(flights.find(id, sequence)).toBe(flight);
  expect(flights.find(id, sequence ^ 1)).toBeUndefined();
  expect(flights.find(id ^ 0x8000, sequence)).toBeUndefined();
  flights.land(slot);
  flights.land(slot);
  expect(flights.find(id, sequence)).toBeUndefined();
  expect(flights.size).toBe(0);
});

test('identifier and sequence begin at random and wrap', () => {
  const flights = new Flights<Flight>(counting(0xff, 0xff, 0xff, 0xfe));
  const launched = [1, 2, 3].map(() => flights.launch(make));
  expect(launched.map((flight) => [flight?.id, flight?.sequence])).toEqual([
    [0xffff, 0xfffe],
    [0xffff, 0xffff],
    [0x0000, 0x0000],
  ]);
  for (const flight of launched) expect(flights.find(flight?.id ?? -1, flight?.sequence ?? -1)).toBe(flight);
});

test('cookies differ from packet to packet, also when the random block is used up', () => {
  let seed = 1;
  const flights = new Flights<Flight>((buffer) => {
    for (let at = 0; at < buffer.length; at += 4) {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) | 0;
      buffer.writeInt32BE(seed, at);
    }
  });
  const cookies = new Set<string>();
  for (let count = 0; count < 3000; count += 1) {
    const flight = flights.launch(make);
    cookies.add(`${flight?.cookieHigh}/${flight?.cookieLow}`);
  }
  expect(cookies.size).toBe(3000);
});

test('when every number is in the air there is none, and the first to land is the next to leave', () => {
  const flights = new Flights<Flight>(counting());
  const launched: (Flight | null)[] = [];
  for (let count = 0; count < CAPACITY; count += 1) launched.push(flights.launch(make));
  expect(launched.includes(null)).toBe(false);
  expect(flights.launch(make)).toBeNull();
  const landed = launched[12_345]?.slot ?? 0;
  flights.land(landed);
  expect(flights.launch(make)?.slot).toBe(landed);
  expect(flights.launch(make)).toBeNull();
});
