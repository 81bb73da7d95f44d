import { describe, expect, it } from 'vitest';
import { createTimeZone, isTimeZone, spellTimeZone } from '../../../core/time-zone.ts';

describe('isTimeZone', () => {
  it.each(['UTC', 'Europe/Berlin', 'europe/berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5', 'EST'])(
    'knows %s',
    (name) => {
      expect(isTimeZone(name)).toBe(true);
    },
  );

  it.each(['', ' ', 'UTC ', 'Mars/Olympus', '+01:00', '-0800', 'Europe/Berlin\0', 'x'.repeat(1000), '../etc/passwd'])(
    'does not know %j',
    (name) => {
      expect(isTimeZone(name)).toBe(false);
    },
  );
});

describe('spellTimeZone', () => {
  const NAMES = ['UTC', 'Europe/Berlin', 'Europe/Kyiv', 'Asia/Kolkata', 'Asia/Ho_Chi_Minh', 'America/Port-au-Prince'];
  const OLD = ['US/Pacific', 'EST5EDT', 'Etc/UTC', 'Etc/GMT+5', 'Africa/Dar_es_Salaam', 'America/Nuuk', 'GB'];
  it.each([...NAMES, ...OLD])('knows one way to write %s', (name) => {
    for (const written of [name, name.toLowerCase(), name.toUpperCase()]) expect(spellTimeZone(written)).toBe(name);
  });

  it('leaves every zone what it is', () => {
    for (const name of Intl.supportedValuesOf('timeZone'))
      expect(spellTimeZone(name.toUpperCase())?.toLowerCase()).toBe(name.toLowerCase());
  });

  it('does not know what is no zone', () => {
    expect(spellTimeZone('Mars/Olympus')).toBeUndefined();
  });
});

describe('a time zone', () => {
  it.each(['UTC', 'Asia/Kathmandu', 'America/New_York', 'Africa/Monrovia'])(
    'converts there and back, to the ends of time: %s',
    (name) => {
      const zone = createTimeZone(name);
      for (const instant of [-8.6e12, -7e10, -2e9, 0, 63_593_070, 63_593_071, 1.8e9, 7e10, 8.64e12])
        expect(zone.toInstant(zone.toLocal(instant))).toBe(instant);
    },
  );
});
