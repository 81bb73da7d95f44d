import { useLocation, useRoute } from 'preact-iso';
import { Empty, Shown } from '../parts/notice.tsx';
import type { DashboardMonitor } from '../parts/resource-types.ts';
import { useAction } from '../parts/use-action.ts';
import { MonitorData } from './monitor-data.tsx';
import { MonitorForm } from './monitor-form.tsx';

/** Makes a monitor. */
export function NewMonitor() {
  const { route } = useLocation();
  return (
    <>
      <h1>New monitor</h1>
      <MonitorForm monitor={null} onSaved={() => route('/manage/monitors')} />
    </>
  );
}

/** Changes a monitor. */
export function EditMonitor() {
  const { params } = useRoute();
  const { route } = useLocation();
  const found = useAction<DashboardMonitor[]>('getMonitors', { id: Number(params.id) });
  return (
    <Shown of={found}>
      {([monitor]) =>
        monitor ? (
          <>
            <div class="title-row">
              <h1>{monitor.name}</h1>
              {monitor.is_hidden === 'NO' && monitor.status === 'ACTIVE' && (
                <a class="button quiet" href={`/monitors/${monitor.tag}`} target="_self">
                  Public page
                </a>
              )}
            </div>
            <MonitorData tag={monitor.tag} />
            <MonitorForm key={monitor.id} monitor={monitor} onSaved={() => route('/manage/monitors')} />
          </>
        ) : (
          <Empty title="There is no such monitor">
            <a href="/manage/monitors">All monitors</a>
          </Empty>
        )
      }
    </Shown>
  );
}
