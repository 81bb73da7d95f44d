import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PlacedResult } from '../../agent/spool/grouping.ts';
import type { Parcel } from '../../agent/spool/parcel.ts';
import { Spool, type SpoolOptions } from '../../agent/spool/spool.ts';
import type { CheckResult } from '../../core/result.ts';
import { createLogger } from '../../runtime/logger.ts';

export const STORED = { answer: 'stored', reason: null } as const;
export const RETRY = { answer: 'retry', reason: 'database' } as const;

/** Spools in a folder of their own, in time that is only counted. */
export class SpoolScene {
  readonly parent = mkdtempSync(join(tmpdir(), 'farwatch-spool-'));
  folder = join(this.parent, 'spool');
  nowMs = 1000;
  readonly #spools: Spool[] = [];

  async open(options: Partial<SpoolOptions> = {}): Promise<Spool> {
    const spool = await Spool.open({
      folder: this.folder,
      bootId: 'boot-1',
      limitBytes: 2 ** 30,
      offsetOf: () => null,
      monotonicMs: () => this.nowMs,
      logger: createLogger('agent', 'silent'),
      ...options,
    });
    this.#spools.push(spool);
    return spool;
  }

  segments(): string[] {
    return readdirSync(this.folder).filter((name) => name.endsWith('.seg'));
  }

  async end(): Promise<void> {
    for (const spool of this.#spools) await spool.close();
    rmSync(this.parent, { recursive: true, force: true });
  }
}

export async function keep(spool: Spool, results: readonly CheckResult[], epoch = 'epoch-1'): Promise<void> {
  const placed: PlacedResult[] = results.map((result) => ({ result, startedMs: 0, usedOffsetMs: null }));
  const kept = spool.append(epoch, placed);
  await spool.flush();
  await kept;
}

export function idsOf(parcel: Parcel | null): number[] {
  return parcel?.kind === 'results' ? parcel.results.map(({ monitorId }) => monitorId) : [];
}

/** Everything that can be taken now. */
export async function takeAll(spool: Spool): Promise<CheckResult[]> {
  const all: CheckResult[] = [];
  for (;;) {
    const parcel = spool.takeLive(1000) ?? (await spool.takeBacklog(1000));
    if (parcel === null) return all;
    if (parcel.kind === 'results') all.push(...parcel.results);
  }
}
