import { join } from 'node:path';
import { readJson, writeJson } from './data-folder.ts';
import { freePort } from './free-port.ts';
import { accepts } from './programs.ts';

const NAMES = ['postgres', 'nats', 'collector', 'demoDns'] as const;
type Named = Record<(typeof NAMES)[number], number>;

export interface Ports extends Named {
  /** Where programs tell of their health and show their metrics, by name. */
  health: Record<string, number>;
}

/** The ports of the parts, and one more for each of `programs`: those of the last run where they are still free, others else. */
export async function choosePorts(dir: string, programs: readonly string[]): Promise<Ports> {
  const file = join(dir, 'ports.json');
  const before = readJson<Partial<Ports>>(file) ?? {};
  const taken: number[] = [];
  const choose = async (known: number | undefined): Promise<number> => {
    const port = known !== undefined && !(await accepts(known)) ? known : await unused(taken);
    taken.push(port);
    return port;
  };
  const ports: Ports = { postgres: 0, nats: 0, collector: 0, demoDns: 0, health: {} };
  for (const name of NAMES) ports[name] = await choose(before[name]);
  for (const name of programs) ports.health[name] = await choose(before.health?.[name]);
  writeJson(file, ports);
  return ports;
}

async function unused(taken: number[]): Promise<number> {
  const port = await freePort();
  return taken.includes(port) ? unused(taken) : port;
}
