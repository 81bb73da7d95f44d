import { join } from 'node:path';
import { readJson, writeJson } from './data-folder.ts';
import { freePort } from './free-port.ts';
import { accepts } from './programs.ts';

const NAMES = ['postgres', 'nats', 'collector', 'demoDns'] as const;
export type Ports = Record<(typeof NAMES)[number], number>;

/** The ports of the parts: those of the last run where they are still free, others else. */
export async function choosePorts(dir: string): Promise<Ports> {
  const file = join(dir, 'ports.json');
  const before = readJson<Partial<Ports>>(file) ?? {};
  const ports: Ports = { postgres: 0, nats: 0, collector: 0, demoDns: 0 };
  for (const name of NAMES) {
    const known = before[name];
    ports[name] = known !== undefined && !(await accepts(known)) ? known : await unused(Object.values(ports));
  }
  writeJson(file, ports);
  return ports;
}

async function unused(taken: number[]): Promise<number> {
  const port = await freePort();
  return taken.includes(port) ? unused(taken) : port;
}
