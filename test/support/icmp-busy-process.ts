/** The ICMP process that a test can keep busy: SIGUSR2 holds its event loop up for 700 ms. */
import { randomFillSync } from 'node:crypto';
import { serveIcmp } from '../../agent/probes/icmp/serve.ts';

const BUSY_MS = 700;

process.on('SIGUSR2', () => {
  const until = performance.now() + BUSY_MS;
  while (performance.now() < until);
});
serveIcmp(randomFillSync);
