import { useState } from 'preact/hooks';
import { act } from '../client.ts';
import { ChangeForm } from '../parts/change-form.tsx';
import { AskFirst } from '../parts/dialog.tsx';
import { Field, SelectField } from '../parts/field.tsx';
import { changedOf, localOf, momentOf, secondsOf } from '../parts/form.ts';
import { Shown } from '../parts/notice.tsx';
import type { DashboardComment, DashboardIncident } from '../parts/resource-types.ts';
import { wordOf } from '../parts/state-mark.tsx';
import { useAction } from '../parts/use-action.ts';
import { useSession } from '../session.tsx';
import { STATES } from './incident-mark.tsx';

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
      {may('incidents.write') && (
        <ChangeForm
          verb="Post update"
          busy="Posting …"
          isReset
          work={(values) => act('addComment', { incident_id: incident.id, ...values }).then(refresh)}
        >
          {(error) => (
            <>
              <Text label="What visitors should know" error={error} />
              <State error={error} state={incident.state} />
            </>
          )}
        </ChangeForm>
      )}
      <Shown of={comments}>
        {(list) =>
          list.length === 0 ? (
            <p class="empty">Nothing has been said yet.</p>
          ) : (
            <ol class="timeline">
              {list.map((comment) => (
                <Comment key={comment.id} comment={comment} onChange={refresh} />
              ))}
            </ol>
          )
        }
      </Shown>
    </section>
  );
}

function Text({ label, text, error }: { label: string; text?: string; error: Error | undefined }) {
  return (
    <Field label={label} name="comment" error={error} hint="Markdown; shown on the status pages.">
      {(control) => <textarea {...control} required defaultValue={text} />}
    </Field>
  );
}

function State({ state, error }: { state: string; error: Error | undefined }) {
  return <SelectField label="State" name="state" error={error} class="narrow" options={STATES} chosen={state} />;
}

function Comment({ comment, onChange }: { comment: DashboardComment; onChange: () => void }) {
  const { may } = useSession();
  const [isEdited, setEdited] = useState(false);
  const { id: comment_id, incident_id, state, commented_at, comment: text } = comment;
  return (
    <li class={`state-${state.toLowerCase()}`}>
      <p class="timeline-head">
        <strong>{wordOf(state)}</strong> <time>{momentOf(commented_at)}</time>
      </p>
      {isEdited ? (
        <EditComment
          comment={comment}
          onCancel={() => setEdited(false)}
          onDone={() => {
            setEdited(false);
            onChange();
          }}
        />
      ) : (
        <p class="comment-text">{text}</p>
      )}
      {may('incidents.write') && !isEdited && (
        <div class="buttons">
          <button type="button" class="quiet small" onClick={() => setEdited(true)}>
            Edit<span class="unseen"> the update of {momentOf(commented_at)}</span>
          </button>
          <AskFirst
            label="Delete"
            about={`the update of ${momentOf(commented_at)}`}
            isSmall
            title="Delete this update?"
            verb="Delete update"
            work={() => act('deleteComment', { incident_id, comment_id })}
            onDone={onChange}
          >
            <p>It leaves the timeline. The incident keeps its state and its end.</p>
          </AskFirst>
        </div>
      )}
    </li>
  );
}

interface EditProps {
  comment: DashboardComment;
  onCancel: () => void;
  onDone: () => void;
}

function EditComment({ comment, onCancel, onDone }: EditProps) {
  const { id: comment_id, incident_id } = comment;
  const save = async (texts: Record<string, string>, began: Record<string, string>): Promise<void> => {
    const changed = changedOf({ ...texts, commented_at: secondsOf(texts.commented_at) }, began, texts);
    await act('updateComment', { incident_id, comment_id, ...changed });
    onDone();
  };
  return (
    <ChangeForm verb="Save" busy="Saving …" work={save} onCancel={onCancel}>
      {(error) => (
        <>
          <Text label="Text" text={comment.comment} error={error} />
          <div class="grid-form">
            <State error={error} state={comment.state} />
            <Field label="Time" name="commented_at" error={error}>
              {(control) => (
                <input {...control} type="datetime-local" required defaultValue={localOf(comment.commented_at)} />
              )}
            </Field>
          </div>
        </>
      )}
    </ChangeForm>
  );
}
