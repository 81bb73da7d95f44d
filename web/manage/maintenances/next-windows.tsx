import type { Schedule } from '../../../core/maintenance.ts';
import { OWN_ZONE, windowOf } from '../parts/form.ts';
import { Shown } from '../parts/notice.tsx';
import { useAction } from '../parts/use-action.ts';
import { useSettled } from '../parts/use-settled.ts';
import { wordsOf } from './rule-words.ts';

interface Preview {
  text: string;
  occurrences: { start_date_time: number; end_date_time: number }[];
}

/** A rule in words, with its next windows on the clocks of its zone, as the server would plan them. */
export function NextWindows({ schedule }: { schedule: Schedule }) {
  const settled = useSettled(schedule);
  const preview = useAction<Preview>('previewRecurrence', settled);
  const { timezone } = settled;
  return (
    <section aria-label="Next windows" class="next-windows">
      <Shown of={preview}>
        {({ text, occurrences }) => (
          <>
            <p>
              <strong>{wordsOf(text)}</strong> <span class="quiet">on the clocks of {timezone}</span>
            </p>
            {occurrences.length === 0 && <p class="empty">No window lies ahead.</p>}
            <ol>
              {occurrences.map(({ start_date_time: start, end_date_time: end }) => (
                <li key={start}>
                  {windowOf(start, end, timezone)}
                  {timezone !== OWN_ZONE && <span class="quiet beneath">for you {windowOf(start, end)}</span>}
                </li>
              ))}
            </ol>
          </>
        )}
      </Shown>
    </section>
  );
}
