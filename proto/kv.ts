import { createHash } from 'node:crypto';
import { z } from 'zod';
import { revisionOf, type Definition, type DefinitionVersion, type Manifest } from '../core/definition.ts';
import { parseJson } from '../core/json-text.ts';
import { isMinute } from '../core/minute.ts';
import { TYPE_DATA } from '../core/type-data.ts';

/** Version of the form that definitions have in a bucket. */
const FORM = 1;
const MONITOR_KEY = /^m\.([1-9]\d{0,9})$/;

/** The key of a bucket's manifest. */
export const MANIFEST_KEY = 'manifest';

/** The bucket that holds a region's definitions. */
export function bucketOf(region: string): string {
  return region;
}

export function keyOfMonitor(monitorId: number): string {
  return `m.${monitorId}`;
}

/** The monitor that a key names; null where it names none. */
export function monitorOfKey(key: string): number | null {
  const id = MONITOR_KEY.exec(key)?.[1];
  return id === undefined ? null : Number(id);
}

/** What stands under one key, whole or as far as it can be read. */
export interface StoredDefinition {
  monitorId: number;
  /** Of the database it was read from: revisions compare only within one. */
  epoch: string;
  revision: number;
  /** Null where this program cannot read it; it then stops only this monitor. */
  definition: Definition | null;
  /** Why `definition` is null. */
  problem: string | null;
}

/** The value of a definition's key. */
export function encodeDefinition(epoch: string, definition: Definition): string {
  const { monitorId, versions } = definition;
  return JSON.stringify({ v: FORM, epoch, monitorId, revision: revisionOf(definition), versions });
}

const envelope = z.looseObject({
  v: z.int(),
  epoch: z.string(),
  monitorId: z.int().positive(),
  revision: z.int().positive(),
});

const probe = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('PING'), config: TYPE_DATA.PING }),
  z.object({ kind: z.literal('TCP'), config: TYPE_DATA.TCP }),
  z.object({ kind: z.literal('DNS'), config: TYPE_DATA.DNS }),
]);

const version = z.object({
  revision: z.int().positive(),
  fromMinute: z.number().refine(isMinute, 'must be a minute'),
  cron: z.string().nullable(),
  probe: probe.nullable(),
}) satisfies z.ZodType<DefinitionVersion>;

const body = z.object({ versions: z.array(version).min(1) });

/**
 * Reads a definition's value. Members it does not know are passed over; where the content cannot be read the revision
 * still is, so that one bad definition does not keep a region from adopting the rest. Null where not even that can be
 * read, or where the value belongs under another key.
 */
export function decodeDefinition(key: string, value: Uint8Array | string): StoredDefinition | null {
  const json = parseJson(value);
  const head = envelope.safeParse(json);
  if (!head.success || head.data.monitorId !== monitorOfKey(key)) return null;
  const { v, epoch, monitorId, revision } = head.data;
  const unreadable = (problem: string): StoredDefinition => ({ monitorId, epoch, revision, definition: null, problem });
  if (v !== FORM) return unreadable(`form ${v} is not known`);
  const content = body.safeParse(json);
  if (!content.success) return unreadable(firstProblem(content.error));
  if (content.data.versions.at(-1)?.revision !== revision)
    return unreadable('revision is not that of the last version');
  return { monitorId, epoch, revision, definition: { monitorId, versions: content.data.versions }, problem: null };
}

function firstProblem(error: z.ZodError): string {
  const [issue] = error.issues;
  return issue === undefined ? 'unreadable' : `${issue.path.join('.')}: ${issue.message}`;
}

const manifest = z.object({
  epoch: z.string().min(1),
  generation: z.int().nonnegative(),
  count: z.int().nonnegative(),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
}) satisfies z.ZodType<Manifest>;

/** The value of the manifest's key. */
export function encodeManifest(value: Manifest): string {
  return JSON.stringify({ v: FORM, ...value });
}

/** Reads a manifest; null where it cannot be read, which is no news to an agent. */
export function decodeManifest(value: Uint8Array | string): Manifest | null {
  return manifest.safeParse(parseJson(value)).data ?? null;
}

/** sha256 (hex) over a line `<monitor id>:<revision>` for each monitor, ascending by id. */
export function hashDefinitions(revisions: Iterable<readonly [monitorId: number, revision: number]>): string {
  const hash = createHash('sha256');
  const sorted = [...revisions].sort(([a], [b]) => a - b);
  hash.update(sorted.map(([monitorId, revision]) => `${monitorId}:${revision}\n`).join(''));
  return hash.digest('hex');
}
