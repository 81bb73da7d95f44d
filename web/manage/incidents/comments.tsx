import { useState } from 'preact/hooks';
import { act } from '../client.ts';
import { Confirm } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { momentOf, valuesOf } from '../parts/form.ts';
import { Fault, Shown } from '../parts/notice.tsx';
import type { DashboardComment, DashboardIncident } from '../parts/resource-types.ts';
import { useAction, useChange } from '../parts/use-action.ts';
import { useSession } from '../session.tsx';

const STATES = ['INVESTIGATING', 'IDENTIFIED', 'MONITORING', 'RESOLVED'];

/** An incident's timeline, newest first, and the next word on it. */
export function Comments({ incident, onChange }: { incident: DashboardIncident; onChange: () => void }) {
  const { may } = useSession();
  const comments = useAction<DashboardComment[]>('getComments', { incident_id: incident.id });
  const refresh = (): void => {
    comments.reload();
    onChange();
  };
  return (
    <section class="card stack">
      <h2>Timeline</h2>
      {may('incidents.write') && <AddComment incident={incident} onDone={refresh} />}
      <Shown of={comments}>
        {(list) => (
          <ol class="timeline">
            {list.map((comment) => (
              <Comment key={comment.id} comment={comment} onChange={refresh} />
            ))}
          </ol>
        )}
      </Shown>
    </section>
  );
}

function AddComment({ incident, onDone }: { incident: DashboardIncident; onDone: () => void }) {
  const { isBusy, error, run } = useChange();
  const submit = (event: SubmitEvent): void => {
    const form = event.currentTarget;
    const values = valuesOf(event);
    void run(() => act('addComment', { incident_id: incident.id, ...values })).then((done) => {
      if (!done) return;
      if (form instanceof HTMLFormElement) form.reset();
      onDone();
    });
  };
  return (
    <form class="stack" onSubmit={submit}>
      <Field label="What visitors should know" name="comment" error={error} hint="Markdown; shown on the status pages.">
        {(control) => <textarea {...control} required />}
      </Field>
      <div class="host-row">
        <label>
          State{' '}
          <select name="state" defaultValue={incident.state}>
            {STATES.map((state) => (
              <option key={state}>{state}</option>
            ))}
          </select>
        </label>
        <button type="submit" disabled={isBusy}>
          {isBusy ? 'Posting …' : 'Post update'}
        </button>
      </div>
      <Fault error={error} />
    </form>
  );
}

function Comment({ comment, onChange }: { comment: DashboardComment; onChange: () => void }) {
  const { may } = useSession();
  const [mode, setMode] = useState<'edit' | 'delete'>();
  const { isBusy, error, run } = useChange();
  const { id: comment_id, incident_id, state, commented_at, comment: text } = comment;
  const save = (event: SubmitEvent): void => {
    const values = valuesOf(event);
    void run(() => act('updateComment', { incident_id, comment_id, ...values })).then((done) => {
      if (!done) return;
      setMode(undefined);
      onChange();
    });
  };
  return (
    <li class={`state-${state.toLowerCase()}`}>
      <p class="timeline-head">
        <strong>{state}</strong> <time>{momentOf(commented_at)}</time>
      </p>
      {mode === 'edit' ? (
        <form class="stack" onSubmit={save}>
          <Field label="Text" name="comment" error={error}>
            {(control) => <textarea {...control} required defaultValue={text} />}
          </Field>
          <Fault error={error} />
          <button type="submit" disabled={isBusy}>
            Save
          </button>
        </form>
      ) : (
        <p class="comment-text">{text}</p>
      )}
      {may('incidents.write') && (
        <p class="buttons">
          <button type="button" class="quiet small" onClick={() => setMode(mode === 'edit' ? undefined : 'edit')}>
            {mode === 'edit' ? 'Leave as it was' : 'Edit'}
          </button>
          <button type="button" class="danger small" onClick={() => setMode('delete')}>
            Delete
          </button>
        </p>
      )}
      {mode === 'delete' && (
        <Confirm
          title="Delete this update?"
          verb="Delete update"
          work={() => act('deleteComment', { incident_id, comment_id })}
          onClose={() => {
            setMode(undefined);
            onChange();
          }}
        >
          <p>It leaves the timeline. The incident keeps its state and its end.</p>
        </Confirm>
      )}
    </li>
  );
}
