import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Fault, Working } from './notice.tsx';
import { useChange } from './use-action.ts';

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}

/**
 * The browser's own modal dialog: it puts the focus on its first control, holds it, closes on Escape and gives the focus
 * back.
 */
export function Dialog({ title, onClose, children }: DialogProps) {
  const box = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const opener = document.activeElement;
    box.current?.showModal();
    return () => {
      if (opener instanceof HTMLElement) opener.focus();
    };
  }, []);
  return (
    <dialog ref={box} aria-labelledby={heading} onClose={onClose}>
      <h2 id={heading}>{title}</h2>
      {children}
    </dialog>
  );
}

interface QuestionProps {
  title: string;
  /** What will be gone, and whether it comes back. */
  children: ComponentChildren;
  verb: string;
  work: () => Promise<unknown>;
  onDone: () => void;
}

interface ConfirmProps extends QuestionProps {
  onClose: () => void;
}

/** Asks before something is destroyed, and shows that it is being done. */
function Confirm({ title, children, verb, work, onDone, onClose }: ConfirmProps) {
  const { isBusy, error, run } = useChange();
  const confirm = (): void =>
    void run(work).then((isThrough) => {
      if (!isThrough) return;
      onClose();
      onDone();
    });
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="stack">
        {children}
        <Fault error={error} />
        {isBusy && <Working>{verb}</Working>}
        <div class="buttons">
          <button type="button" class="quiet" onClick={onClose} disabled={isBusy}>
            Cancel
          </button>
          <button type="button" class="danger" disabled={isBusy} onClick={confirm}>
            {verb}
          </button>
        </div>
      </div>
    </Dialog>
  );
}

interface AskFirstProps extends QuestionProps {
  /** What the button says; `about` is added for those who cannot see what it stands beside. */
  label: string;
  about?: string;
  /** Why it cannot be done; without, it can. */
  refusal?: string | undefined;
  isSmall?: boolean;
}

/** A button for what cannot be undone: it asks before. */
export function AskFirst({ label, about, refusal, isSmall = false, ...question }: AskFirstProps) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <button
        type="button"
        class={isSmall ? 'danger small' : 'danger'}
        disabled={refusal !== undefined}
        title={refusal}
        onClick={() => setAsking(true)}
      >
        {label}
        {about && <span class="unseen"> {about}</span>}
      </button>
      {isAsking && <Confirm {...question} onClose={() => setAsking(false)} />}
    </>
  );
}
