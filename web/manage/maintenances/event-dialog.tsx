import { ChangeForm } from '../parts/change-form.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { changedOf, localOf, OWN_ZONE, secondsOf } from '../parts/form.ts';

interface Times {
  start_date_time: number | null;
  end_date_time: number | null;
}

interface Props {
  title: string;
  hint: string;
  start: number;
  end: number;
  /** Gets both times, and those of them that are others than at first. */
  work: (times: Times, changed: Partial<Times>) => Promise<unknown>;
  onClose: () => void;
  onDone: () => void;
}

/** From when to when a single window is. */
export function EventDialog({ title, hint, start, end, work, onClose, onDone }: Props) {
  const save = async (texts: Record<string, string>, began: Record<string, string>): Promise<void> => {
    const { start_date_time: from, end_date_time: to } = texts;
    const times = { start_date_time: secondsOf(from), end_date_time: secondsOf(to) };
    await work(times, changedOf(times, began, texts));
    onClose();
    onDone();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <p class="quiet">
        {hint} Times are those of {OWN_ZONE}.
      </p>
      <ChangeForm verb="Save" busy="Saving …" work={save} onCancel={onClose}>
        {(error) => (
          <>
            <Field label="Begins" name="start_date_time" error={error}>
              {(control) => <input {...control} type="datetime-local" required defaultValue={localOf(start)} />}
            </Field>
            <Field label="Ends" name="end_date_time" error={error}>
              {(control) => <input {...control} type="datetime-local" required defaultValue={localOf(end)} />}
            </Field>
          </>
        )}
      </ChangeForm>
    </Dialog>
  );
}
