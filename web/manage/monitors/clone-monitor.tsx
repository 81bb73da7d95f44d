import { useLocation } from 'preact-iso';
import { useState } from 'preact/hooks';
import { act } from '../client.ts';
import { ChangeForm } from '../parts/change-form.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { useSession } from '../session.tsx';
import { viewOf } from './monitor-paths.ts';

interface Props {
  source: { tag: string; name: string };
  isSmall?: boolean;
}

/** Makes a monitor like another, under a tag of its own, and leads to it. */
export function CloneMonitor({ source: { tag, name }, isSmall = false }: Props) {
  const { refusal } = useSession();
  const { route } = useLocation();
  const [isOpen, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  const locked = refusal('monitors.write');
  const clone = async (values: Record<string, string>): Promise<void> => {
    await act('cloneMonitor', { sourceTag: tag, ...values });
    route(viewOf(values.newTag ?? ''));
  };
  return (
    <>
      <button
        type="button"
        class={isSmall ? 'quiet small' : 'quiet'}
        disabled={locked !== undefined}
        title={locked}
        onClick={() => setOpen(true)}
      >
        Clone<span class="unseen"> {name}</span>
      </button>
      {isOpen && (
        <Dialog title={`Clone “${name}”`} onClose={close}>
          <ChangeForm verb="Clone" busy="Cloning …" work={clone} onCancel={close}>
            {(error) => (
              <>
                <Field label="Name" name="newName" error={error}>
                  {(control) => <input {...control} required defaultValue={`${name} (copy)`} />}
                </Field>
                <Field
                  label="Tag"
                  name="newTag"
                  error={error}
                  hint="Lowercase letters, digits, - and _. It cannot be changed later."
                >
                  {(control) => <input {...control} required defaultValue={`${tag}-copy`} />}
                </Field>
              </>
            )}
          </ChangeForm>
        </Dialog>
      )}
    </>
  );
}
