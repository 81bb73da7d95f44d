import { act } from '../client.ts';
import { AskFirst } from '../parts/dialog.tsx';
import { useSession } from '../session.tsx';

interface Props {
  monitor: { tag: string; name: string };
  isSmall?: boolean;
  onDone: () => void;
}

/** Deletes a monitor with all that was measured of it. */
export function DeleteMonitor({ monitor: { tag, name }, isSmall, onDone }: Props) {
  const { refusal } = useSession();
  return (
    <AskFirst
      label="Delete"
      about={name}
      isSmall={isSmall}
      refusal={refusal('monitors.write')}
      title={`Delete “${name}”?`}
      verb="Delete monitor"
      work={() => act('deleteMonitor', { tag })}
      onDone={onDone}
    >
      <p>Its whole history goes with it, and it leaves pages, incidents and maintenances. It cannot be undone.</p>
      <p>To stop it and keep its history, pause it instead.</p>
    </AskFirst>
  );
}
