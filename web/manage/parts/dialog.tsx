import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { Fault } from './notice.tsx';
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

interface ConfirmProps {
  title: string;
  /** What will be gone, and whether it comes back. */
  children: ComponentChildren;
  verb: string;
  work: () => Promise<unknown>;
  onClose: () => void;
}

/** Asks before something is destroyed. */
export function Confirm({ title, children, verb, work, onClose }: ConfirmProps) {
  const { isBusy, error, run } = useChange();
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="stack">
        {children}
        <Fault error={error} />
        <div class="buttons">
          <button type="button" class="quiet" onClick={onClose} disabled={isBusy}>
            Cancel
          </button>
          <button
            type="button"
            class="danger"
            disabled={isBusy}
            onClick={() => void run(work).then((done) => done && onClose())}
          >
            {isBusy ? 'Working …' : verb}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
