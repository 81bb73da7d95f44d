import { useState } from 'preact/hooks';

interface Props {
  title: string;
  text: string;
  secret: string;
  onDone: () => void;
}

/** Something that is shown this once, to be copied. */
export function Secret({ title, text, secret, onDone }: Props) {
  const [isCopied, setCopied] = useState(false);
  return (
    <div class="card banner" role="status">
      <h2>{title}</h2>
      <p>{text}</p>
      <p>
        <code class="secret">{secret}</code>
      </p>
      <div class="buttons">
        <button type="button" onClick={() => void navigator.clipboard.writeText(secret).then(() => setCopied(true))}>
          {isCopied ? 'Copied' : 'Copy'}
        </button>
        <button type="button" class="quiet" onClick={onDone}>
          I have kept it
        </button>
      </div>
    </div>
  );
}
