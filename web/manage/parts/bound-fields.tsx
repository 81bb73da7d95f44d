import { Field, type Choices, type FieldProps } from './field.tsx';

/** Fields whose value a state of the view holds. */
interface BoundProps<Value> extends Omit<FieldProps, 'children'> {
  value: Value;
  onChange: (value: Value) => void;
}

interface TextProps extends BoundProps<string> {
  isOptional?: boolean;
  placeholder?: string;
}

export function TextField({ value, onChange, isOptional = false, placeholder, ...field }: TextProps) {
  return (
    <Field {...field}>
      {(control) => (
        <input
          {...control}
          required={!isOptional}
          autocomplete="off"
          placeholder={placeholder}
          value={value}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )}
    </Field>
  );
}

/** A day and a time of it, as `localOf` writes them. */
export function MomentField({ value, onChange, ...field }: BoundProps<string>) {
  return (
    <Field {...field}>
      {(control) => (
        <input
          {...control}
          type="datetime-local"
          required
          value={value}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )}
    </Field>
  );
}

interface NumberProps extends BoundProps<number> {
  /** Parts of one are numbers too. */
  isFine?: boolean;
}

/** A number from one on. */
export function NumberField({ value, onChange, isFine = false, ...field }: NumberProps) {
  return (
    <Field {...field}>
      {(control) => (
        <input
          {...control}
          type="number"
          required
          min={1}
          step={isFine ? 'any' : 1}
          value={value}
          onInput={({ currentTarget }) => onChange(currentTarget.valueAsNumber)}
        />
      )}
    </Field>
  );
}

export function ChoiceField({ value, onChange, options, ...field }: BoundProps<string> & { options: Choices }) {
  return (
    <Field {...field}>
      {(control) => (
        <select {...control} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
          {options.map(([one, text]) => (
            <option key={one} value={one}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
