/**
 * How much an agent is drawn to a monitor: 32 bits that look random, the same in every agent. The monitor belongs to the
 * agent with the highest weight (rendezvous hashing, Thaler and Ravishankar 1998), so that one that comes or goes moves
 * only its own share.
 */
export function weightOf(agentId: number, monitorId: number): number {
  return mix(mix(Math.imul(agentId, 0x9e3779b1)) ^ Math.imul(monitorId, 0x85ebca6b));
}

/** The finalizer of MurmurHash3: every bit of the input changes every bit of the output with a chance of one half. */
function mix(value: number): number {
  let hash = value;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
