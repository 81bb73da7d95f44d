import { useState } from 'preact/hooks';
import { act } from '../client.ts';
import { MomentField } from '../parts/bound-fields.tsx';
import { ChangeForm } from '../parts/change-form.tsx';
import { Field, SelectField } from '../parts/field.tsx';
import { localOf, secondsOf } from '../parts/form.ts';
import { Working } from '../parts/notice.tsx';
import { POINT_CHOICES } from '../parts/state-mark.tsx';
import { DeleteRange } from './delete-range.tsx';

const HOUR_S = 3600;
/** A long range is written in parts, so that it can be seen how far it is. */
const PART_S = 7 * 86_400;

interface Progress {
  part: number;
  minutes: number;
}

/** Writes every minute of a range by hand. */
export function WriteRange({ tag, onDone }: { tag: string; onDone: () => void }) {
  const [progress, setProgress] = useState<Progress>();
  const now = Math.floor(Date.now() / 1000);
  const [range, setRange] = useState({ start: localOf(now - HOUR_S), end: localOf(now) });
  const [start, end] = [secondsOf(range.start), secondsOf(range.end)];
  const write = async ({ newStatus, latency }: Record<string, string>): Promise<void> => {
    const data = { monitor_tag: tag, newStatus, latency: Number(latency) };
    await writeParts(data, { start: start ?? NaN, end: end ?? NaN }, setProgress);
    onDone();
  };
  return (
    <details class="card">
      <summary>Write a range by hand</summary>
      <ChangeForm verb="Write every minute of it" busy="Writing …" work={write}>
        {(error) => (
          <>
            <div class="grid-form">
              <MomentField
                label="From"
                name="start"
                error={error}
                value={range.start}
                onChange={(from) => setRange({ ...range, start: from })}
              />
              <MomentField
                label="Until"
                name="end"
                error={error}
                hint="This minute is not written."
                value={range.end}
                onChange={(until) => setRange({ ...range, end: until })}
              />
              <SelectField label="Status" name="newStatus" error={error} options={POINT_CHOICES} />
              <Field label="Latency, ms" name="latency" error={error}>
                {(control) => <input {...control} type="number" min={0} step="any" required defaultValue={0} />}
              </Field>
            </div>
            <Written progress={progress} isOver={error !== undefined} />
          </>
        )}
      </ChangeForm>
      {start !== null && end !== null && start < end && <DeleteRange {...{ tag, start, end, onDone }} />}
    </details>
  );
}

/** Says after each part how far it is. What went through stays written where a later part is refused. */
async function writeParts(
  data: object,
  { start, end }: { start: number; end: number },
  tell: (progress: Progress) => void,
): Promise<void> {
  let minutes = 0;
  let from = start;
  do {
    const until = Math.min(from + PART_S, end);
    tell({ part: (from - start) / (end - start), minutes });
    const { updated_count: count } = await act<{ updated_count: number }>('updateMonitoringData', {
      ...data,
      start: from,
      end: until,
    });
    minutes += count;
    from = until;
  } while (from < end);
  tell({ part: 1, minutes });
}

function Written({ progress, isOver }: { progress: Progress | undefined; isOver: boolean }) {
  if (!progress) return null;
  const { part, minutes } = progress;
  const text = `${minutes === 1 ? '1 minute' : `${minutes} minutes`} written`;
  return part < 1 && !isOver ? <Working part={part}>{text}</Working> : <p role="status">{text}.</p>;
}
