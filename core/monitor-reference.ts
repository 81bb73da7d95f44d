import { z } from 'zod';
import { eachInTurn } from './own-words.ts';

/** What incidents and maintenances say of monitors (specification 1, 2.1, 2.5; reference §1.2, §1.4, §11). */

const IMPACTS = ['UP', 'DOWN', 'DEGRADED', 'MAINTENANCE'] as const;
export type Impact = (typeof IMPACTS)[number];

const ARRAY = 'monitors must be an array';
const VALID_TAG = 'Each monitor must have a valid monitor_tag';

/** A reference as answers show it. */
export const monitorReference = z
  .object({ monitor_tag: z.string(), impact: z.enum(IMPACTS) })
  .meta({ id: 'MonitorReference' });
export type MonitorReference = z.output<typeof monitorReference>;

const tag = z.string(VALID_TAG).min(1, VALID_TAG);
const tagged = z.object({ monitor_tag: tag });
const impact = z.enum(IMPACTS, { error: invalidImpact });
const item = z.object({ monitor_tag: tag, impact: impact.optional() }, VALID_TAG);

/** The two members of a reference where they stand alone. */
export const monitorTag = z
  .string('monitor_tag must be a non-empty string')
  .min(1, 'monitor_tag must be a non-empty string');
export const monitorImpact = impact;

/** A reference as the dashboard's endpoint shows it. */
export const impactReference = z
  .object({ monitor_tag: z.string(), monitor_impact: z.enum(IMPACTS) })
  .meta({ id: 'MonitorImpact' });
const impactItem = z.object({ monitor_tag: tag, monitor_impact: impact.optional() }, VALID_TAG);

/**
 * The `monitors` of a body: impacts that are not named get the default. Of a monitor that is named twice the last impact
 * counts, at its first place. Whether a tag exists only the database can tell, see `tagsBeforeFault`.
 */
export function monitorReferences(defaultImpact: Impact) {
  return eachInTurn(item, ARRAY).transform((items) => lastImpacts(items, defaultImpact));
}

/** As `monitorReferences`, in the words of the dashboard's endpoint. */
export function monitorImpacts(defaultImpact: Impact) {
  return eachInTurn(impactItem, ARRAY).transform((items) => {
    const named = items.map(({ monitor_tag, monitor_impact }) => ({ monitor_tag, impact: monitor_impact }));
    return lastImpacts(named, defaultImpact);
  });
}

/** References in the words of the dashboard's endpoint. */
export function toMonitorImpacts(references: readonly MonitorReference[]): z.output<typeof impactReference>[] {
  return references.map(({ monitor_tag, impact }) => ({ monitor_tag, monitor_impact: impact }));
}

/** The list after a monitor was named once more: its impact counts, at the place it has. */
export function withReference(
  references: readonly MonitorReference[],
  { monitor_tag, impact }: MonitorReference,
): MonitorReference[] {
  return lastImpacts([...references, { monitor_tag, impact }], impact);
}

function lastImpacts(
  items: readonly { monitor_tag: string; impact?: Impact | undefined }[],
  defaultImpact: Impact,
): MonitorReference[] {
  const impacts = new Map(items.map(({ monitor_tag, impact = defaultImpact }) => [monitor_tag, impact]));
  return [...impacts].map(([monitor_tag, impact]) => ({ monitor_tag, impact }));
}

/**
 * The tags whose absence is told before the first fault of a list of references: items are checked one after the other,
 * each its tag, then whether that exists, then its impact.
 */
export function tagsBeforeFault(items: unknown): string[] {
  if (!Array.isArray(items)) return [];
  const faulty = items.findIndex((candidate) => !item.safeParse(candidate).success);
  const looked = faulty < 0 ? items : items.slice(0, faulty + 1);
  return looked.flatMap((candidate) => tagged.safeParse(candidate).data?.monitor_tag ?? []);
}

function invalidImpact({ input }: { input?: unknown }): string {
  const shown = typeof input === 'object' && input !== null ? 'object' : String(input);
  return `Invalid impact '${shown}'. Must be one of: ${IMPACTS.join(', ')}`;
}
