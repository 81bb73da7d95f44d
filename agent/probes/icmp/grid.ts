/**
 * Client and ICMP process act on a common grid of time, so that one waking serves many hosts: on a small machine a
 * waking costs 75 us, a packet 15. Requests are sent at the grid's points, packets leave a little later.
 */
export const GRID_MS = 20;
/** A packet's place after a grid point: behind the requests that come with the point. */
const PACKET_PHASE_US = 4000;
/** A packet may leave this much before its time, when the process is awake anyway. */
export const EARLY_US = 5000;

const originUs = Number(process.hrtime.bigint()) / 1000 - performance.now() * 1000;

/** The monotonic clock that all processes of a machine share, microseconds. */
export function monotonicUs(): number {
  return originUs + performance.now() * 1000;
}

/** The first place for a packet that is not before `nowUs`. */
export function packetTimeUs(nowUs: number): number {
  const stepUs = GRID_MS * 1000;
  return Math.ceil((nowUs - PACKET_PHASE_US) / stepUs) * stepUs + PACKET_PHASE_US;
}

/** Milliseconds until the next grid point. */
export function untilGridMs(nowUs: number): number {
  return GRID_MS - ((nowUs / 1000) % GRID_MS);
}
