import { useEffect, useState } from 'preact/hooks';
import { momentOf } from '../parts/form.ts';
import { Shown } from '../parts/notice.tsx';
import { useAction } from '../parts/use-action.ts';

interface Schedule {
  start_date_time: number;
  rrule: string;
  duration_seconds: number;
  timezone: string;
}

interface Preview {
  text: string;
  occurrences: { start_date_time: number; end_date_time: number }[];
}

/** Whoever types is not asked about every letter. */
const PAUSE_MS = 400;

/** A rule in words, with its next windows, as the server would plan them. */
export function NextWindows({ schedule }: { schedule: Schedule }) {
  const key = JSON.stringify(schedule);
  const [settled, setSettled] = useState(schedule);
  useEffect(() => {
    const timer = window.setTimeout(() => setSettled(schedule), PAUSE_MS);
    return () => window.clearTimeout(timer);
  }, [key]);
  const preview = useAction<Preview>('previewRecurrence', settled);
  return (
    <section aria-label="Next windows" class="card">
      <Shown of={preview}>
        {({ text, occurrences }) => (
          <>
            <p>
              <strong>{text || 'Next windows'}</strong>
            </p>
            {occurrences.length === 0 && <p class="empty">No window lies ahead.</p>}
            <ol>
              {occurrences.map(({ start_date_time: start, end_date_time: end }) => (
                <li key={start}>
                  {momentOf(start)} to {momentOf(end)}
                </li>
              ))}
            </ol>
          </>
        )}
      </Shown>
    </section>
  );
}
