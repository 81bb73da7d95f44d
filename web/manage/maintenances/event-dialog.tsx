import { ChangeForm } from '../parts/change-form.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { localOf, OWN_ZONE, secondsOf } from '../parts/form.ts';

interface Times {
  start_date_time: number | null;
  end_date_time: number | null;
}

interface Props {
  title: string;
  hint: string;
  start: number;
  end: number;
  work: (times: Times) => Promise<unknown>;
  onClose: () => void;
  onDone: () => void;
}

/** From when to when a single window is. */
export function EventDialog({ title, hint, start, end, work, onClose, onDone }: Props) {
  const save = async ({ start_date_time: from, end_date_time: to }: Record<string, string>): Promise<void> => {
    await work({ start_date_time: secondsOf(from), end_date_time: secondsOf(to) });
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
