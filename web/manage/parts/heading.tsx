import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';

interface Props {
  title: string;
  /** Small marks behind the title. */
  marks?: ComponentChildren;
  /** What can be done with the whole, beside the title. */
  children?: ComponentChildren;
}

/** What a view is about; the browser's tab says it too. */
export function Heading({ title, marks, children }: Props) {
  useEffect(() => {
    document.title = `${title} · Farwatch`;
  }, [title]);
  return (
    <div class="title-row">
      <h1>
        {title}
        {marks}
      </h1>
      {children && <div class="buttons">{children}</div>}
    </div>
  );
}
