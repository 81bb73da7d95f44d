import type { ComponentChildren, TargetedSubmitEvent } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { valuesOf } from './form.ts';
import { Fault } from './notice.tsx';
import { useChange } from './use-action.ts';

interface Props {
  /** What its button says, and what while it works. */
  verb: string;
  busy: string;
  /** Gets the values of the named controls, now and as the form began; what it throws is shown. */
  work: (values: Record<string, string>, began: Record<string, string>) => Promise<unknown>;
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
  const began = useRef<Record<string, string>>({});
  useLayoutEffect(() => {
    if (form.current) began.current = valuesOf(form.current);
  }, []);
  useEffect(() => form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus(), [error]);
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const values = valuesOf(event.currentTarget);
    setDone(false);
    void run(() => work(values, began.current)).then((isThrough) => {
      setDone(isThrough);
      if (isThrough) began.current = values;
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
