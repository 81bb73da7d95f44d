import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writeFeed, type Feed } from '../../../../api/rss/feed.ts';
import type { PublicIncident } from '../../../../db/page-incidents.ts';
import type { PublicMaintenance } from '../../../../db/page-maintenances.ts';
import { elementsOf, parseXml, type XmlElement } from '../../../support/xml.ts';

const T = 1_800_000_000;
const HOSTILE = [
  ']]>',
  '\ud800x',
  '\u0000\u0008\u001f\ufffe',
  '🙂"<&\'>',
  '<script>alert(1)</script>',
  '&amp;\n',
  '-->',
  '<![CDATA[',
];

const incident = (fields: Partial<PublicIncident> = {}): PublicIncident => ({
  ...{ id: 1, title: 'Slow', start: T, end: null, state: 'INVESTIGATING', monitors: [], comments: [] },
  ...{ publishedAt: T, changedAt: T, ...fields },
});
const maintenance = (fields: Partial<PublicMaintenance> = {}): PublicMaintenance => ({
  ...{ maintenanceId: 7, eventId: 9, title: 'Update', description: null, start: T, end: T + 3600 },
  ...{ status: 'SCHEDULED', monitors: [], publishedAt: T, changedAt: T, ...fields },
});
const feed = (fields: Partial<Feed> = {}): Feed => ({
  ...{ title: 'Status', description: 'All of it', link: 'https://s.example/', self: 'https://s.example/rss.xml' },
  ...{ base: 'https://s.example', incidents: [], maintenances: [], ...fields },
});
const itemsOf = (fields: Partial<Feed>): XmlElement[] => elementsOf(parseXml(writeFeed(feed(fields))), 'item');
const textOf = (element: XmlElement | undefined, name: string) => element && elementsOf(element, name)[0]?.text;

describe('a feed', () => {
  it('is RSS 2.0 that names itself', () => {
    const rss = parseXml(writeFeed(feed({ incidents: [incident({ changedAt: T + 90 })] })));
    expect(rss).toMatchObject({ name: 'rss', attributes: { version: '2.0' } });
    const [channel] = rss.children;
    expect(['title', 'link', 'description', 'lastBuildDate'].map((name) => textOf(channel, name))).toEqual([
      ...['Status', 'https://s.example/', 'All of it', new Date((T + 90) * 1000).toUTCString()],
    ]);
    const [self] = elementsOf(rss, 'atom:link');
    expect(self?.attributes).toMatchObject({ href: 'https://s.example/rss.xml', rel: 'self' });
  });

  it('says of an incident its state, whom it affects, and what was said, newest first', () => {
    const comments = [
      { id: 2, text: 'Fixed\nnow', timestamp: T + 120, state: 'RESOLVED' as const },
      { id: 1, text: 'Looking', timestamp: T, state: 'INVESTIGATING' as const },
    ];
    const monitors = [{ tag: 'shop', name: 'Shop & co', impact: 'DOWN' }];
    const [item] = itemsOf({ incidents: [incident({ state: 'RESOLVED', end: T + 120, comments, monitors })] });
    expect(textOf(item, 'title')).toBe('[RESOLVED] Slow');
    expect(textOf(item, 'link')).toBe('https://s.example/incidents/1');
    expect(textOf(item, 'description')).toBe(
      '<p>2027-01-15 08:00 UTC to 2027-01-15 08:02 UTC</p><p>Affects Shop &amp; co (DOWN)</p>' +
        '<p><strong>RESOLVED</strong>, 2027-01-15 08:02 UTC<br/>Fixed<br/>now</p>' +
        '<p><strong>INVESTIGATING</strong>, 2027-01-15 08:00 UTC<br/>Looking</p>',
    );
  });

  it('keeps the guid of an item whatever else changes, and gives every window its own', () => {
    const guids = (fields: Partial<Feed>) => itemsOf(fields).map((item) => textOf(item, 'guid'));
    const changed = { title: 'x', start: 0, state: 'RESOLVED', changedAt: T + 5 } as const;
    expect(guids({ incidents: [incident(changed)] })).toEqual(guids({ incidents: [incident()] }));
    const windows = [maintenance(), maintenance({ eventId: 10 })];
    expect(new Set(guids({ incidents: [incident({ id: 7 })], maintenances: windows })).size).toBe(3);
  });

  it('holds the fifty items that were published last, the newest first', () => {
    const incidents = Array.from({ length: 40 }, (_, id) => incident({ id, publishedAt: T + 2 * id }));
    const maintenances = Array.from({ length: 40 }, (_, id) =>
      maintenance({ eventId: id, publishedAt: T + 2 * id + 1 }),
    );
    const dates = itemsOf({ incidents, maintenances }).map((item) => Date.parse(textOf(item, 'pubDate') ?? '') / 1000);
    expect(dates).toEqual(Array.from({ length: 50 }, (_, at) => T + 79 - at));
  });

  it('is well-formed whatever people wrote, and runs nothing of it', () => {
    const anyText = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...HOSTILE));
    fc.assert(
      fc.property(anyText, anyText, fc.maxSafeInteger(), (a, b, seconds) => {
        const monitors = [{ tag: 'x', name: b, impact: 'DOWN' }];
        const comments = [{ id: 1, text: b, timestamp: seconds, state: 'MONITORING' as const }];
        const items = itemsOf({
          ...{ title: a, description: b },
          incidents: [incident({ title: a, start: seconds, end: seconds, comments, monitors })],
          maintenances: [maintenance({ title: a, description: b, end: seconds })],
        });
        expect(items).toHaveLength(2);
        for (const item of items) expect(textOf(item, 'description')).not.toContain('<script');
      }),
    );
    expect(textOf(itemsOf({ incidents: [incident({ title: '🙂 ]]> \u0001' })] })[0], 'title')).toBe(
      '[INVESTIGATING] 🙂 ]]> \u{FFFD}',
    );
  });
});
