import { DEFAULT_SETTINGS, type MonitorFields } from './monitor.ts';
import { parseFormula, type Formula, type MinuteCounts } from './uptime-formula.ts';

/** What decides how a monitor's uptime is computed. */
export type UptimeRule = Pick<MonitorFields, 'include_degraded_in_downtime' | 'monitor_settings_json'>;

/** Uptime in percent, rounded to four decimals; null where there is nothing to say. */
export interface Uptime {
  percent: number | null;
  /** `percent` with trailing zeros dropped, `-` for null (reference §6). */
  text: string;
}

/**
 * The uptime of so many minutes (reference §6 and §12, Monitors): numerator over denominator, by the monitor's formulas
 * or the default ones. There is none without a minute, nor where the formulas divide by zero.
 */
export function uptimeOf(minutes: MinuteCounts, rule: UptimeRule): Uptime {
  const counts = rule.include_degraded_in_downtime === 'YES' ? withDegradedDown(minutes) : minutes;
  const total = counts.up + counts.down + counts.degraded + counts.maintenance;
  const quotient =
    formulaOf(rule, 'uptime_formula_numerator')(counts) / formulaOf(rule, 'uptime_formula_denominator')(counts);
  if (total === 0 || !Number.isFinite(quotient * 100)) return { percent: null, text: '-' };
  // Adding zero makes a negative zero a plain one.
  const percent = Number((quotient * 100).toFixed(4)) + 0;
  return { percent, text: String(percent) };
}

function withDegradedDown({ down, degraded, ...rest }: MinuteCounts): MinuteCounts {
  return { ...rest, down: down + degraded, degraded: 0 };
}

/** Nothing, or what was no formula before formulas were checked, means the default. */
function formulaOf({ monitor_settings_json: settings }: UptimeRule, name: keyof typeof DEFAULT_SETTINGS): Formula {
  const text = settings?.[name];
  return (typeof text === 'string' ? parseFormula(text) : null) ?? DEFAULTS[name];
}

const DEFAULTS: Record<keyof typeof DEFAULT_SETTINGS, Formula> = {
  uptime_formula_numerator: parsed(DEFAULT_SETTINGS.uptime_formula_numerator),
  uptime_formula_denominator: parsed(DEFAULT_SETTINGS.uptime_formula_denominator),
};

function parsed(text: string): Formula {
  const formula = parseFormula(text);
  if (!formula) throw new Error(`not a formula: ${text}`);
  return formula;
}
