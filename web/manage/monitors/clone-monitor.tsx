import { act } from '../client.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { valuesOf } from '../parts/form.ts';
import { Fault } from '../parts/notice.tsx';
import type { DashboardMonitor } from '../parts/resource-types.ts';
import { useChange } from '../parts/use-action.ts';

interface Props {
  source: DashboardMonitor;
  onClose: () => void;
  /** Gets the new monitor's id. */
  onDone: (id: number) => void;
}

/** Makes a monitor like another, under a tag of its own. */
export function CloneMonitor({ source, onClose, onDone }: Props) {
  const { isBusy, error, run } = useChange();
  const submit = (event: SubmitEvent): void => {
    const values = valuesOf(event);
    void run(async () => {
      const [id] = await act<number[]>('cloneMonitor', { sourceTag: source.tag, ...values });
      if (id !== undefined) onDone(id);
    });
  };
  return (
    <Dialog title={`Clone “${source.name}”`} onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        <Field label="Name" name="newName" error={error}>
          {(control) => <input {...control} required defaultValue={`${source.name} (copy)`} />}
        </Field>
        <Field
          label="Tag"
          name="newTag"
          error={error}
          hint="Lowercase letters, digits, - and _. It cannot be changed later."
        >
          {(control) => <input {...control} required defaultValue={`${source.tag}-copy`} />}
        </Field>
        <Fault error={error} />
        <div class="buttons">
          <button type="submit" disabled={isBusy}>
            {isBusy ? 'Cloning …' : 'Clone'}
          </button>
          <button type="button" class="quiet" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}
