import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { Refused } from '../client.ts';

export interface FieldProps {
  label: string;
  /** The member of the body, as the server's faults name it. */
  name: string;
  hint?: string;
  error?: Error | undefined;
  class?: string;
  /** Gets what ties the control to its label, hint and fault. */
  children: (control: ControlProps) => ComponentChildren;
}

export interface ControlProps {
  id: string;
  name: string;
  'aria-describedby'?: string;
  'aria-invalid'?: 'true';
}

/** A labelled control with its hint and, where the server refused its value, the reason beside it. */
export function Field({ label, name, hint, error, class: shape, children }: FieldProps) {
  const id = useId();
  const fault = error instanceof Refused ? error.fields.get(name) : undefined;
  const described = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ');
  return (
    <div class={shape ? `field ${shape}` : 'field'}>
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

/** Values with their words. */
export type Choices = readonly (readonly [value: string, text: string])[];

interface ChoiceProps {
  label: string;
  value: string;
  options: Choices;
  onChange: (value: string) => void;
  class?: string;
}

/** A choice that is at hand, outside of a form's fields. */
export function Choice({ label, value, options, onChange, class: shape }: ChoiceProps) {
  const id = useId();
  return (
    <div class={shape ? `choice ${shape}` : 'choice'}>
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {options.map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

interface SelectProps extends Omit<FieldProps, 'children'> {
  options: Choices;
  /** At first, and after a reset. */
  chosen?: string | undefined;
}

/** A form's field that is a choice. */
export function SelectField({ options, chosen, ...field }: SelectProps) {
  // A select has no default of its own that a reset would go back to: its options have.
  const mark = (option: HTMLOptionElement | null): void => {
    if (option && option.defaultSelected !== (option.value === chosen))
      option.defaultSelected = option.value === chosen;
  };
  return (
    <Field {...field}>
      {(control) => (
        <select {...control}>
          {options.map(([value, text]) => (
            <option key={value} value={value} ref={mark}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** As a control's `ref`: it has the focus once it is there. */
export function focusFirst(control: HTMLElement | null): void {
  control?.focus();
}

interface PasswordProps {
  label?: string;
  name?: string;
  error: Error | undefined;
  isFirst?: boolean;
}

/** Where somebody chooses a password. */
export function NewPasswordField({ label = 'Password', name = 'password', error, isFirst = false }: PasswordProps) {
  return (
    <Field
      label={label}
      name={name}
      error={error}
      hint="At least 8 characters, among them a digit, a lower and an upper case letter."
    >
      {(control) => (
        <input
          {...control}
          type="password"
          required
          minLength={8}
          autocomplete="new-password"
          ref={isFirst ? focusFirst : undefined}
        />
      )}
    </Field>
  );
}
