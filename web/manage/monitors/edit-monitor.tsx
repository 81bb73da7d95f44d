import { useLocation, useRoute } from 'preact-iso';
import { Heading } from '../parts/heading.tsx';
import { Shown } from '../parts/notice.tsx';
import type { MonitorDetail } from '../parts/resource-types.ts';
import { useAction } from '../parts/use-action.ts';
import { MonitorForm } from './monitor-form.tsx';
import { viewOf } from './monitor-paths.ts';

/** Makes a monitor. */
export function NewMonitor() {
  const { route } = useLocation();
  return (
    <>
      <Heading title="New monitor" />
      <MonitorForm
        monitor={null}
        onSaved={(tag) => route(viewOf(tag.trim()))}
        onCancel={() => route('/manage/monitors')}
      />
    </>
  );
}

/** Changes a monitor. */
export function EditMonitor() {
  const { params } = useRoute();
  const { route } = useLocation();
  const found = useAction<MonitorDetail>('getMonitor', { tag: params.tag });
  const back = (): void => route(viewOf(params.tag ?? ''));
  return (
    <Shown of={found}>
      {(monitor) => (
        <>
          <Heading title={`Edit ${monitor.name}`} />
          <MonitorForm key={monitor.id} monitor={monitor} onSaved={back} onCancel={back} />
        </>
      )}
    </Shown>
  );
}
