import { act } from '../client.ts';
import type { DashboardMonitor } from '../parts/resource-types.ts';
import { Switch } from '../parts/switch.tsx';
import { useSession } from '../session.tsx';

interface Props {
  monitor: Pick<DashboardMonitor, 'id' | 'name' | 'status' | 'is_hidden'>;
  onDone: () => void;
}

/** Pauses a monitor and resumes it. */
export function ActiveSwitch({ monitor: { id, name, status }, onDone }: Props) {
  const { refusal } = useSession();
  return (
    <Switch
      label={`${name} is active`}
      isOn={status === 'ACTIVE'}
      refusal={refusal('monitors.write')}
      work={(isOn) => act('storeMonitorData', { id, status: isOn ? 'ACTIVE' : 'INACTIVE' })}
      onDone={onDone}
    />
  );
}

/** Hides a monitor from everything public and shows it again. */
export function PublicSwitch({ monitor: { id, name, is_hidden: isHidden }, onDone }: Props) {
  const { refusal } = useSession();
  return (
    <Switch
      label={`${name} is public`}
      isOn={isHidden === 'NO'}
      refusal={refusal('monitors.write')}
      work={(isOn) => act('storeMonitorData', { id, is_hidden: isOn ? 'NO' : 'YES' })}
      onDone={onDone}
    />
  );
}
