import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { act } from '../client.ts';

/** What a view shows of an action's result: nothing yet, the result, or why there is none. */
export interface Loaded<Result> {
  result: Result | undefined;
  error: Error | undefined;
  isLoading: boolean;
  /** Asks again; what is shown stays until the answer is there. */
  reload: () => void;
}

/** Runs a reading action when the view appears and whenever `data` changes; the newest question wins. */
export function useAction<Result>(action: string, data: object = {}): Loaded<Result> {
  const key = JSON.stringify([action, data]);
  const [state, setState] = useState<Omit<Loaded<Result>, 'reload'>>({
    result: undefined,
    error: undefined,
    isLoading: true,
  });
  const newest = useRef(0);
  const load = useCallback(() => {
    const question = ++newest.current;
    const isNewest = (): boolean => question === newest.current;
    setState((before) => ({ ...before, isLoading: true }));
    act<Result>(action, data).then(
      (result) => isNewest() && setState({ result, error: undefined, isLoading: false }),
      (error: Error) => isNewest() && setState((before) => ({ ...before, error, isLoading: false })),
    );
  }, [key]);
  useEffect(load, [load]);
  return { ...state, reload: load };
}

/** Runs changing actions one after the other, in the order they were asked for, and tells how the last one went. */
export function useChange(): {
  isBusy: boolean;
  error: Error | undefined;
  /** True where `work` went through. */
  run: (work: () => Promise<unknown>) => Promise<boolean>;
} {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<Error>();
  const last = useRef<Promise<unknown>>(Promise.resolve());
  const attempt = async (work: () => Promise<unknown>): Promise<boolean> => {
    setBusy(true);
    setError(undefined);
    try {
      await work();
      return true;
    } catch (cause) {
      setError(cause instanceof Error ? cause : new Error(String(cause)));
      return false;
    } finally {
      setBusy(false);
    }
  };
  const run = (work: () => Promise<unknown>): Promise<boolean> => {
    const done = last.current.then(() => attempt(work));
    last.current = done;
    return done;
  };
  return { isBusy, error, run };
}
