import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../core/app-error.ts';
import { mergeMonitor, monitorPatch, newMonitor, settleMonitor, type MonitorFields } from '../../../core/monitor.ts';

const fields: MonitorFields = newMonitor.parse({ tag: 'a', name: 'A' });

describe('monitorPatch', () => {
  it('adds nothing to a patch: what is not named stays unnamed', () => {
    expect(monitorPatch.parse({})).toEqual({});
    fc.assert(
      fc.property(fc.subarray(Object.keys(fields).filter((key) => key !== 'tag')), (names) => {
        const patch = Object.fromEntries(Object.entries(fields).filter(([key]) => names.includes(key)));
        expect(Object.keys(monitorPatch.parse(patch)).sort()).toEqual(Object.keys(patch).sort());
      }),
    );
  });
});

describe('mergeMonitor', () => {
  it('merges objects one level deep onto nothing, onto something, and by null onto nothing again', () => {
    const merge = (current: MonitorFields['type_data'], patch: object | null | undefined) =>
      mergeMonitor({ ...fields, type_data: current }, monitorPatch.parse({ type_data: patch })).type_data;
    expect(merge(null, { a: 1 })).toEqual({ a: 1 });
    expect(merge({ a: { x: 1 }, b: 2 }, { a: { y: 1 }, c: null })).toEqual({ a: { y: 1 }, b: 2, c: null });
    expect(merge({ a: 1 }, null)).toBeNull();
    expect(merge({ a: 1 }, undefined)).toEqual({ a: 1 });
  });
});

describe('settleMonitor', () => {
  it('leaves a type without a probe alone', () => {
    const other = { ...fields, monitor_type: 'SQL', type_data: { hosts: 'x' } };
    expect(settleMonitor(other)).toEqual(other);
  });

  it('fills in the defaults of a type with a probe, and changes nothing when asked again', () => {
    const ping = {
      ...fields,
      monitor_type: 'PING',
      type_data: { hosts: [{ host: '127.0.0.1', note: 1 }], more: true },
    };
    const settled = settleMonitor(ping);
    expect(settled.type_data).toEqual({
      hosts: [{ host: '127.0.0.1', note: 1, type: 'IP4', timeout: 1000, count: 3 }],
      more: true,
    });
    expect(settleMonitor(settled)).toEqual(settled);
  });

  it('names every fault, each with its place', () => {
    const tcp = {
      ...fields,
      monitor_type: 'TCP',
      type_data: { hosts: [{ host: 'a.example', port: 0 }, { host: '' }] },
    };
    const attempt = (): unknown => settleMonitor(tcp);
    expect(attempt).toThrow(AppError);
    try {
      attempt();
    } catch (error) {
      // Thrown just above.
      const { details } = error as AppError;
      expect(details.map(({ path }) => path)).toEqual(
        expect.arrayContaining(['type_data.hosts.0.port', 'type_data.hosts.1.host']),
      );
    }
  });
});
