import { useEffect, useState } from 'preact/hooks';
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
export function Switch({ label, ...props }: Props) {
  const { error, ...box } = useTurning(props);
  return (
    <>
      <input {...box} role="switch" aria-label={label} />
      <Fault error={error} />
    </>
  );
}

/** The same as one of several, with its label beside it. */
export function Check({ label, ...props }: Props) {
  const { error, ...box } = useTurning(props);
  return (
    <label>
      <input {...box} /> {label}
      <Fault error={error} />
    </label>
  );
}

/** Shows what is wished for until it is so, or is refused; it stays at hand meanwhile, so that keys stay where they are. */
function useTurning({ isOn, refusal, work, onDone }: Omit<Props, 'label'>) {
  const { error, run } = useChange();
  const [wish, setWish] = useState<boolean>();
  useEffect(() => setWish(undefined), [isOn, error]);
  const shown = wish ?? isOn;
  const turn = (): void => {
    setWish(!shown);
    void run(() => work(!shown)).then(onDone);
  };
  return {
    ...{ error, type: 'checkbox' as const, title: refusal, checked: shown },
    ...{ disabled: refusal !== undefined, onChange: turn },
  };
}
