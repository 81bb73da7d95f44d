import type { NatsConnection } from '@nats-io/transport-node';
import type { Region } from '../db/definitions.ts';
import { createBackoff } from '../runtime/time.ts';
import { createDefinitionsPublisher, type DefinitionsPublisher, type PublisherParts } from './definitions-publisher.ts';
import { createGate } from './gate.ts';

/** New regions are looked for this often, whatever was heard. */
const LOOK_EVERY_MS = 60_000;

export interface RegionPublishersParts extends Omit<PublisherParts, 'connect'> {
  /** Opens a connection of the region's account; tries until the signal aborts, and then rejects. */
  connect: (region: string, signal: AbortSignal) => Promise<NatsConnection>;
}

/** A publisher for each region, since each region is an account of its own at NATS; together they are one. */
export function createRegionPublishers(parts: RegionPublishersParts): DefinitionsPublisher {
  const publishers = new Map<number, DefinitionsPublisher>();
  const due = createGate();
  let isLeading = false;
  let problem: string | null = 'the regions are not known yet';
  const all = (tell: (publisher: DefinitionsPublisher) => void): void => [...publishers.values()].forEach(tell);
  const open = (region: Region): DefinitionsPublisher => {
    const publisher = createDefinitionsPublisher({
      ...parts,
      connect: (signal) => parts.connect(region.name, signal),
      listRegions: () => Promise.resolve([region]),
    });
    publisher.lead(isLeading);
    publishers.set(region.id, publisher);
    return publisher;
  };
  return {
    changed: (monitorId) => all((publisher) => publisher.changed(monitorId)),
    compare: () => all((publisher) => publisher.compare()),
    regionsChanged: () => due.open(),
    lead(leading) {
      isLeading = leading;
      all((publisher) => publisher.lead(leading));
    },
    problem() {
      const problems = [...publishers.values()].map((publisher) => publisher.problem());
      return isLeading ? (problem ?? problems.find((one) => one !== null) ?? null) : null;
    },
    figures() {
      const figures = [...publishers.values()].map((publisher) => publisher.figures());
      const ages = figures.flatMap(({ passAgeMs }) => passAgeMs ?? []);
      const passAgeMs = ages.length === 0 ? null : Math.max(...ages);
      return { leading: isLeading, passAgeMs, unreadable: figures.flatMap(({ unreadable }) => unreadable) };
    },
    async run(signal) {
      const running: Promise<void>[] = [];
      const backoff = createBackoff(200, 5000);
      while (!signal.aborted) {
        let waitMs = LOOK_EVERY_MS;
        try {
          const regions = await parts.listRegions();
          for (const region of regions) if (!publishers.has(region.id)) running.push(open(region).run(signal));
          problem = null;
          backoff.reset();
        } catch (error) {
          problem = 'the regions cannot be read';
          parts.logger.warn({ err: error }, 'regions not read, trying again');
          waitMs = backoff.next();
        }
        await Promise.race([due.opened(waitMs, signal), failureOf(running)]);
      }
      await Promise.all(running);
    },
  };
}

/** Rejects when one of them does; never resolves. */
function failureOf(running: readonly Promise<void>[]): Promise<never> {
  return new Promise((_resolve, reject) => {
    for (const one of running) one.catch(reject);
  });
}
