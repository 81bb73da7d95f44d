import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { valuesOf } from './form.ts';
import { Fault } from './notice.tsx';
import { useChange } from './use-action.ts';

interface Props {
  /** What its button says, and what while it works. */
  verb: string;
  busy: string;
  /** Gets the values of the named controls; what it throws is shown. */
  work: (values: Record<string, string>) => Promise<unknown>;
  /** Said when it went through and the form stays. */
  done?: string;
  /** It empties itself for the next one. */
  isReset?: boolean;
  /** With it there is a second button, to leave without a change. */
  onCancel?: () => void;
  class?: string;
  children: (error: Error | undefined) => ComponentChildren;
}

/** A form around its fields: sends them once, says what is wrong where it is wrong, and that it went through. */
export function ChangeForm({ verb, busy, work, done, isReset = false, onCancel, class: shape, children }: Props) {
  const { isBusy, error, run } = useChange();
  const [isDone, setDone] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus(), [error]);
  const submit = (event: SubmitEvent): void => {
    const values = valuesOf(event);
    setDone(false);
    void run(() => work(values)).then((isThrough) => {
      setDone(isThrough);
      if (isThrough && isReset) form.current?.reset();
    });
  };
  return (
    <form ref={form} class={shape ?? 'stack'} onSubmit={submit}>
      {children(error)}
      <Fault error={error} />
      <div class="buttons">
        <button type="submit" disabled={isBusy}>
          {isBusy ? busy : verb}
        </button>
        {onCancel && (
          <button type="button" class="quiet" onClick={onCancel}>
            Cancel
          </button>
        )}
        {done && (
          <span role="status" class="done">
            {isDone && !isBusy && done}
          </span>
        )}
      </div>
    </form>
  );
}
