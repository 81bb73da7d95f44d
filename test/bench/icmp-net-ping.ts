/** The second peer of the ICMP bench: net-ping, as its README uses it, in a process of its own. */
import { createRequire } from 'node:module';
import { median, type Figures } from './icmp-figures.ts';

interface NetPing {
  createSession(options: { timeout: number; retries: number }): {
    pingHost(address: string, done: (error: Error | null) => void): void;
    close(): void;
  };
}

// The package has no types; these are the two calls that are used.
const netPing = createRequire(import.meta.url)('net-ping') as NetPing;

async function round(addresses: readonly string[], count: number): Promise<Figures> {
  const session = netPing.createSession({ timeout: 2000, retries: 0 });
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  const pings = Array.from({ length: count }, () => addresses).flat();
  const answered = await Promise.all(
    pings.map(
      (address) => new Promise<number>((resolve) => session.pingHost(address, (error) => resolve(error ? 0 : 1))),
    ),
  );
  const { user, system } = process.cpuUsage(cpuBefore);
  const wallMs = performance.now() - startedAt;
  session.close();
  const received = answered.reduce((sum, each) => sum + each, 0);
  return { packets: pings.length, received, wallMs, cpuUs: user + system, averagesMs: [] };
}

process.on('message', (message) => {
  // The bench beside this file is the only one that speaks here.
  const { addresses, count, rounds } = message as { addresses: string[]; count: number; rounds: number };
  void (async () => {
    const figures: Figures[] = [];
    for (let index = 0; index < rounds; index += 1) figures.push(await round(addresses, count));
    const cpuUs = median(figures.map((each) => each.cpuUs));
    process.send?.(
      figures.find((each) => each.cpuUs === cpuUs),
      () => process.exit(0),
    );
  })();
});
