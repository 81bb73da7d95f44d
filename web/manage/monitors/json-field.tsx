import { useState } from 'preact/hooks';
import { Field } from '../parts/field.tsx';
import type { TypeData } from './type-data-form.tsx';

interface Props {
  label: string;
  name: string;
  error: Error | undefined;
  value: TypeData;
  onChange: (value: TypeData) => void;
}

const NO_OBJECT = 'This is no JSON object yet.';

/** A JSON object as text: every member is kept, known or not. What is none is not sent. */
export function JsonField({ label, name, error, value, onChange }: Props) {
  const [text, setText] = useState(JSON.stringify(value, null, 2));
  const data = objectIn(text);
  const change = (box: HTMLTextAreaElement): void => {
    setText(box.value);
    const next = objectIn(box.value);
    box.setCustomValidity(next ? '' : NO_OBJECT);
    if (next) onChange(next);
  };
  return (
    <Field label={label} name={name} error={error} hint="As JSON; every member is kept.">
      {(control) => (
        <>
          <textarea
            {...control}
            class="code"
            rows={10}
            spellcheck={false}
            value={text}
            onInput={({ currentTarget }) => change(currentTarget)}
          />
          <p class="fault" role="status">
            {!data && NO_OBJECT}
          </p>
        </>
      )}
    </Field>
  );
}

function objectIn(text: string): TypeData | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    // JSON.parse's only way to say no.
    return undefined;
  }
}
