import { useId } from 'preact/hooks';
import { Field } from './field.tsx';

interface Props {
  label: string;
  name: string;
  hint?: string;
  error: Error | undefined;
  value: string;
  onInput?: (zone: string) => void;
}

const ZONES = ['UTC', ...Intl.supportedValuesOf('timeZone')];

/** A time zone by its name; the browser offers those it knows. */
export function ZoneField({ label, name, hint, error, value, onInput }: Props) {
  const list = useId();
  return (
    <Field label={label} name={name} hint={hint} error={error}>
      {(control) => (
        <>
          <input
            {...control}
            required
            autocomplete="off"
            list={list}
            {...(onInput ? { value, onInput: (event) => onInput(event.currentTarget.value) } : { defaultValue: value })}
          />
          <datalist id={list}>
            {ZONES.map((zone) => (
              <option key={zone} value={zone} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}
