import { act } from '../client.ts';
import { AskFirst } from '../parts/dialog.tsx';
import { durationOf, momentOf } from '../parts/form.ts';

interface Props {
  tag: string;
  start: number;
  /** This minute stays. */
  end: number;
  onDone: () => void;
}

/** Deletes what is stored of a range. */
export function DeleteRange({ tag, start, end, onDone }: Props) {
  return (
    <div class="danger-row">
      <p class="quiet">Or let the range be as if it had never been measured.</p>
      <AskFirst
        label="Delete these minutes"
        title="Delete these minutes?"
        verb="Delete minutes"
        // Both ends of the action's range belong to it.
        work={() => act('deleteMonitorData', { tag, start, end: end - 1 })}
        onDone={onDone}
      >
        <p>
          {durationOf(Math.ceil((end - start) / 60))} from {momentOf(start)} on: points and what each region measured.
          It cannot be undone.
        </p>
      </AskFirst>
    </div>
  );
}
