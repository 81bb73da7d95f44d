import { useState } from 'preact/hooks';
import { Choice } from '../parts/field.tsx';
import { ONCE, recurrenceOf, ruleOf, WEEKDAYS, type Recurrence } from './rule.ts';

const FREQUENCIES = [
  ['ONCE', 'Once'],
  ['DAILY', 'Daily'],
  ['WEEKLY', 'Weekly'],
  ['MONTHLY', 'Monthly'],
] as const;
const UNITS = { DAILY: 'days', WEEKLY: 'weeks', MONTHLY: 'months' } as const;
const PLACES = [
  ['0', 'On the same date'],
  ['1', 'On the first'],
  ['2', 'On the second'],
  ['3', 'On the third'],
  ['4', 'On the fourth'],
  ['-1', 'On the last'],
] as const;
const ENDS = [
  ['never', 'Never'],
  ['count', 'After so many'],
  ['until', 'On a day'],
] as const;
const TEN = 10;

interface Props {
  recurrence: Recurrence;
  onChange: (part: Partial<Recurrence>) => void;
}

/** Builds a recurrence rule, or takes one as text. */
export function RuleBuilder({ rule, onChange }: { rule: string; onChange: (rule: string) => void }) {
  const [isText, setText] = useState(recurrenceOf(rule) === null);
  const recurrence = recurrenceOf(rule) ?? ONCE;
  const set = (part: Partial<Recurrence>): void => onChange(ruleOf({ ...recurrence, ...part }));
  return (
    <fieldset class="stack">
      <legend>Repeats</legend>
      {isText ? (
        <label class="field">
          <span>Recurrence rule (RFC 5545, without RRULE: and DTSTART)</span>
          <input
            required
            class="code"
            spellcheck={false}
            value={rule}
            onInput={(event) => onChange(event.currentTarget.value)}
          />
        </label>
      ) : (
        <>
          <Frequency recurrence={recurrence} onChange={set} />
          {recurrence.freq === 'WEEKLY' && <Weekdays recurrence={recurrence} onChange={set} />}
          {recurrence.freq !== 'ONCE' && <End recurrence={recurrence} onChange={set} />}
        </>
      )}
      <button
        type="button"
        class="quiet small"
        onClick={() => {
          if (isText && !recurrenceOf(rule)) onChange(ruleOf(ONCE));
          setText(!isText);
        }}
      >
        {isText ? 'Build it by choices' : 'Write the rule yourself'}
      </button>
    </fieldset>
  );
}

function Frequency({ recurrence, onChange }: Props) {
  const { freq, interval, nth, weekday } = recurrence;
  return (
    <div class="host-row">
      <Choice
        label="How often"
        value={freq}
        options={FREQUENCIES}
        onChange={(value) => onChange({ freq: FREQUENCIES.find(([name]) => name === value)?.[0] ?? freq })}
      />
      {freq !== 'ONCE' && (
        <label>
          <span>Every so many {UNITS[freq]}</span>
          <input
            type="number"
            min={1}
            max={99}
            required
            value={interval}
            onInput={(event) => onChange({ interval: event.currentTarget.valueAsNumber || 1 })}
          />
        </label>
      )}
      {freq === 'MONTHLY' && (
        <Choice
          label="Day of the month"
          value={String(nth)}
          options={PLACES}
          onChange={(value) => onChange({ nth: Number(value) })}
        />
      )}
      {freq === 'MONTHLY' && nth !== 0 && (
        <Choice label="Weekday" value={weekday} options={WEEKDAYS} onChange={(value) => onChange({ weekday: value })} />
      )}
    </div>
  );
}

function Weekdays({ recurrence: { days }, onChange }: Props) {
  const toggle = (day: string): void => {
    const chosen = days.includes(day) ? days.filter((other) => other !== day) : [...days, day];
    onChange({ days: WEEKDAYS.map(([name]): string => name).filter((name) => chosen.includes(name)) });
  };
  return (
    <div class="choices" role="group" aria-label="Days of the week">
      {WEEKDAYS.map(([day, name]) => (
        <label key={day}>
          <input type="checkbox" checked={days.includes(day)} onChange={() => toggle(day)} /> {name}
        </label>
      ))}
    </div>
  );
}

function End({ recurrence: { end }, onChange }: Props) {
  const choose = (kind: string): void => {
    if (kind === 'count') onChange({ end: { kind, count: TEN } });
    else if (kind === 'until') onChange({ end: { kind, date: inAYear() } });
    else onChange({ end: { kind: 'never' } });
  };
  return (
    <div class="host-row">
      <Choice label="Ends" value={end.kind} options={ENDS} onChange={choose} />
      {end.kind === 'count' && (
        <label>
          <span>Windows</span>
          <input
            type="number"
            min={1}
            required
            value={end.count}
            onInput={(event) => onChange({ end: { kind: 'count', count: event.currentTarget.valueAsNumber || 1 } })}
          />
        </label>
      )}
      {end.kind === 'until' && (
        <label>
          <span>The last day</span>
          <input
            type="date"
            required
            value={end.date}
            onInput={({ currentTarget: { value } }) => value && onChange({ end: { kind: 'until', date: value } })}
          />
        </label>
      )}
    </div>
  );
}

function inAYear(): string {
  const date = new Date();
  date.setFullYear(date.getFullYear() + 1);
  return date.toISOString().slice(0, 10);
}
