import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { Refused } from '../client.ts';

interface FieldProps {
  label: string;
  /** The member of the body, as the server's faults name it. */
  name: string;
  hint?: string;
  error?: Error;
  /** Gets what ties the control to its label, hint and fault. */
  children: (control: ControlProps) => ComponentChildren;
}

interface ControlProps {
  id: string;
  name: string;
  'aria-describedby'?: string;
  'aria-invalid'?: 'true';
}

/** A labelled control with its hint and, where the server refused its value, the reason beside it. */
export function Field({ label, name, hint, error, children }: FieldProps) {
  const id = useId();
  const fault = error instanceof Refused ? error.fields.get(name) : undefined;
  const described = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        name,
        ...(described !== '' && { 'aria-describedby': described }),
        ...(fault && { 'aria-invalid': 'true' }),
      })}
      {hint && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
      {fault && (
        <p id={`${id}-fault`} class="fault">
          {fault}
        </p>
      )}
    </div>
  );
}

/** As a control's `ref`: it has the focus once it is there. */
export function focusFirst(control: HTMLElement | null): void {
  control?.focus();
}
