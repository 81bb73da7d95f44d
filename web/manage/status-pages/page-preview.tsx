import { useState } from 'preact/hooks';
import { Choice } from '../parts/field.tsx';
import { OWN_ZONE } from '../parts/form.ts';
import { useAction } from '../parts/use-action.ts';
import { useSettled } from '../parts/use-settled.ts';

const SIZES = [
  ['desk', 'At a desk'],
  ['phone', 'On a phone'],
] as const;

interface Props {
  fields: object;
  /** Everything is there that a page needs. */
  isComplete: boolean;
}

/** What visitors would see if the form were saved as it stands. */
export function PagePreview({ fields, isComplete }: Props) {
  const [size, setSize] = useState<string>(SIZES[0][0]);
  return (
    <section class="card stack preview-box">
      <div class="title-row">
        <h2>As visitors will see it</h2>
        <Choice label="Size" value={size} options={SIZES} onChange={setSize} />
      </div>
      {isComplete ? (
        <Looks fields={fields} size={size} />
      ) : (
        <p class="quiet">It is shown as soon as it has a title, an address and a heading.</p>
      )}
    </section>
  );
}

function Looks({ fields, size }: { fields: object; size: string }) {
  const preview = useAction<{ html: string }>('previewPage', useSettled({ page: fields, timezone: OWN_ZONE }));
  const { result, error } = preview;
  return (
    <>
      <p class="quiet" role="status">
        {error ? `Not yet: ${error.message}` : 'The form as it stands, saved or not.'}
      </p>
      {result && (
        // It runs no script and leads nowhere: only the looks count here.
        <iframe class={`preview preview-${size}`} title="Preview" sandbox="allow-same-origin" srcdoc={result.html} />
      )}
    </>
  );
}
