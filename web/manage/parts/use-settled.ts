import { useEffect, useState } from 'preact/hooks';

/** Whoever types is not asked about every letter. */
const PAUSE_MS = 350;

/** The value, once it has not changed for a moment. It is compared by its JSON. */
export function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = window.setTimeout(() => setSettled(value), PAUSE_MS);
    return () => window.clearTimeout(timer);
  }, [JSON.stringify(value)]);
  return settled;
}
