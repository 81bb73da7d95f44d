import { useEffect, useRef, useState } from 'preact/hooks';

interface Props {
  title: string;
  text: string;
  secret: string;
  onDone: () => void;
}

/** Something that is shown this once, to be copied. */
export function Secret({ title, text, secret, onDone }: Props) {
  const [hint, setHint] = useState('');
  const box = useRef<HTMLDivElement>(null);
  const code = useRef<HTMLElement>(null);
  useEffect(() => box.current?.focus(), [secret]);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(secret);
      setHint('Copied.');
    } catch {
      // Browsers keep the clipboard from pages that came by plain http.
      if (code.current) getSelection()?.selectAllChildren(code.current);
      setHint('It is selected: copy it with the keyboard.');
    }
  };
  return (
    <div ref={box} class="card banner stack" role="region" aria-label={title} tabindex={-1}>
      <h2>{title}</h2>
      <p>{text}</p>
      <code ref={code} class="secret">
        {secret}
      </code>
      <div class="buttons">
        <button type="button" onClick={() => void copy()}>
          Copy
        </button>
        <button type="button" class="quiet" onClick={onDone}>
          I have kept it
        </button>
        <span role="status">{hint}</span>
      </div>
    </div>
  );
}
