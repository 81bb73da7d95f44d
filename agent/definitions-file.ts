import { z } from 'zod';
import { decodeDefinition, decodeManifest } from '../proto/kv.ts';
import { judgeSnapshot, type DefinitionSet, type Snapshot } from './definition-set.ts';
import { readKept, writeDurably } from './durable-file.ts';

const schema = z.object({
  region: z.string(),
  manifest: z.string(),
  values: z.array(z.tuple([z.string(), z.string()])),
});

/** The last adopted set, kept in a file so that the agent starts without NATS. Only its owner can read it. */
export interface DefinitionsFile {
  /** The kept set; null where there is none for this region, or none that is whole. */
  load(): Promise<DefinitionSet | null>;
  /** Keeps an adopted snapshot. Of several that come while one is written only the last is. */
  save(snapshot: Snapshot): Promise<void>;
}

export function createDefinitionsFile(path: string, region: string): DefinitionsFile {
  let next: Snapshot | null = null;
  let writing: Promise<void> | null = null;

  async function writeAll(): Promise<void> {
    while (next !== null) {
      const { manifest, values } = next;
      next = null;
      const entries = [...values].map(([key, { text }]) => [key, text]);
      await writeDurably(path, JSON.stringify({ region, manifest: JSON.stringify(manifest), values: entries }));
    }
  }

  return {
    async load() {
      const kept = await readKept(path, schema);
      if (kept === null || kept.region !== region) return null;
      const values = kept.values.map(([key, text]) => [key, { text, stored: decodeDefinition(key, text) }] as const);
      const verdict = judgeSnapshot(null, { manifest: decodeManifest(kept.manifest), values: new Map(values) }, true);
      return verdict.kind === 'adopt' ? verdict.set : null;
    },
    save(snapshot) {
      next = snapshot;
      writing ??= writeAll().finally(() => {
        writing = null;
      });
      return writing;
    },
  };
}
