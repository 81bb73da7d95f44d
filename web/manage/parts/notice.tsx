import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import type { Loaded } from './use-action.ts';

/** Why something did not work, said aloud to those who listen. Nothing where there is nothing to say. */
export function Fault({ error }: { error: Error | undefined }) {
  return (
    <div role="alert" class="fault-box" hidden={!error}>
      {error?.message}
    </div>
  );
}

/** That something is under way; with `part`, how much of it is done, from 0 to 1. */
export function Working({ part, children }: { part?: number; children: ComponentChildren }) {
  const label = useId();
  return (
    <div class="working">
      <span id={label} role="status">
        {children} …
      </span>
      <progress aria-labelledby={label} max={1} value={part} />
    </div>
  );
}

/** A list's first moments: asking, refused, empty; after that `children` has the result. */
export function Shown<Result>({
  of: { result, error, isLoading, reload },
  children,
}: {
  of: Loaded<Result>;
  children: (result: Result) => ComponentChildren;
}) {
  return (
    <>
      {error && (
        <div role="alert" class="fault-box">
          {error.message}{' '}
          <button type="button" class="quiet small" onClick={reload}>
            Try again
          </button>
        </div>
      )}
      {result === undefined && isLoading && (
        <p role="status" class="loading">
          Loading …
        </p>
      )}
      {result !== undefined && children(result)}
    </>
  );
}

/** What stands where nothing is yet, with what to do about it. */
export function Empty({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <div class="empty-state card">
      <h2>{title}</h2>
      {children}
    </div>
  );
}
