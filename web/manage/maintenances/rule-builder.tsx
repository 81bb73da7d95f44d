import { useState } from 'preact/hooks';
import { recurrenceOf, ruleOf, WEEKDAYS, wordsOf, type Recurrence } from './rule.ts';

const FREQUENCIES = [
  ['ONCE', 'Once'],
  ['DAILY', 'Daily'],
  ['WEEKLY', 'Weekly'],
  ['MONTHLY', 'Monthly'],
] as const;
const START: Recurrence = { freq: 'ONCE', interval: 1, days: [] };

/** Builds a recurrence rule, or takes one as text. */
export function RuleBuilder({ rule, onChange }: { rule: string; onChange: (rule: string) => void }) {
  const [isText, setText] = useState(recurrenceOf(rule) === null);
  const recurrence = recurrenceOf(rule) ?? START;
  const set = (part: Partial<Recurrence>): void => onChange(ruleOf({ ...recurrence, ...part }));
  return (
    <fieldset>
      <legend>Repeats</legend>
      {isText ? (
        <label class="field">
          <span>Recurrence rule (RFC 5545, without RRULE: and DTSTART)</span>
          <input required spellcheck={false} value={rule} onInput={(event) => onChange(event.currentTarget.value)} />
        </label>
      ) : (
        <>
          <div class="host-row">
            <label>
              How often{' '}
              <select
                value={recurrence.freq}
                onChange={(event) =>
                  set({ freq: FREQUENCIES.find(([freq]) => freq === event.currentTarget.value)?.[0] })
                }
              >
                {FREQUENCIES.map(([freq, name]) => (
                  <option key={freq} value={freq}>
                    {name}
                  </option>
                ))}
              </select>
            </label>
            {recurrence.freq !== 'ONCE' && (
              <label>
                Every{' '}
                <input
                  type="number"
                  min={1}
                  max={99}
                  value={recurrence.interval}
                  onInput={(event) => set({ interval: event.currentTarget.valueAsNumber || 1 })}
                />
              </label>
            )}
          </div>
          {recurrence.freq === 'WEEKLY' && (
            <div class="choices">
              {WEEKDAYS.map(([day, name]) => (
                <label key={day}>
                  <input
                    type="checkbox"
                    checked={recurrence.days.includes(day)}
                    onChange={() => set({ days: toggled(recurrence.days, day) })}
                  />{' '}
                  {name}
                </label>
              ))}
            </div>
          )}
          <p role="status">{wordsOf(recurrence)}</p>
        </>
      )}
      <button
        type="button"
        class="quiet small"
        onClick={() => {
          if (isText && !recurrenceOf(rule)) onChange(ruleOf(START));
          setText(!isText);
        }}
      >
        {isText ? 'Build it by choices' : 'Write the rule yourself'}
      </button>
    </fieldset>
  );
}

function toggled(days: readonly string[], day: string): string[] {
  const chosen = days.includes(day) ? days.filter((other) => other !== day) : [...days, day];
  return WEEKDAYS.map(([name]): string => name).filter((name) => chosen.includes(name));
}
