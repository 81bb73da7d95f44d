import { Fault } from './notice.tsx';
import { useChange } from './use-action.ts';

interface Props {
  /** The statement that it makes true or false. */
  label: string;
  isOn: boolean;
  /** Why it cannot be turned; without, it can. */
  refusal?: string | undefined;
  work: (isOn: boolean) => Promise<unknown>;
  onDone: () => void;
}

/** Turns something on and off at once. */
export function Switch({ label, isOn, refusal, work, onDone }: Props) {
  const { isBusy, error, run } = useChange();
  return (
    <>
      <input
        type="checkbox"
        role="switch"
        aria-label={label}
        title={refusal}
        checked={isOn}
        disabled={isBusy || refusal !== undefined}
        onChange={() => void run(() => work(!isOn)).then(onDone)}
      />
      <Fault error={error} />
    </>
  );
}
