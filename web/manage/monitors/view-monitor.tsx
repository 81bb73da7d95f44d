import { useLocation, useRoute } from 'preact-iso';
import { Fact } from '../parts/facts.tsx';
import { Heading } from '../parts/heading.tsx';
import { Shown } from '../parts/notice.tsx';
import { momentOf } from '../parts/form.ts';
import type { MonitorDetail } from '../parts/resource-types.ts';
import { StateMark } from '../parts/state-mark.tsx';
import { useAction } from '../parts/use-action.ts';
import { useSession } from '../session.tsx';
import { CloneMonitor } from './clone-monitor.tsx';
import { DeleteMonitor } from './delete-monitor.tsx';
import { Measured } from './measured.tsx';
import { editOf } from './monitor-paths.ts';
import { ActiveSwitch, PublicSwitch } from './monitor-switches.tsx';

/** A monitor: how it is, what was measured of it, and what can be done with it. */
export function ViewMonitor() {
  const { params } = useRoute();
  const { route } = useLocation();
  const { may } = useSession();
  const found = useAction<MonitorDetail>('getMonitor', { tag: params.tag });
  return (
    <Shown of={found}>
      {(monitor) => (
        <>
          <Heading title={monitor.name}>
            {monitor.is_hidden === 'NO' && monitor.status === 'ACTIVE' && (
              <a class="button quiet" href={`/monitors/${monitor.tag}`} target="_self">
                Public page
              </a>
            )}
            {may('monitors.write') && (
              <a class="button" href={editOf(monitor.tag)}>
                Edit
              </a>
            )}
            <CloneMonitor source={monitor} />
            <DeleteMonitor monitor={monitor} onDone={() => route('/manage/monitors')} />
          </Heading>
          <Facts monitor={monitor} onChange={found.reload} />
          <Measured key={monitor.tag} tag={monitor.tag} />
        </>
      )}
    </Shown>
  );
}

function Facts({ monitor, onChange }: { monitor: MonitorDetail; onChange: () => void }) {
  const { tag, status, current, monitor_type: type, cron, category_name: category } = monitor;
  return (
    <section class="card">
      <dl class="facts">
        <Fact name="Now">{status === 'ACTIVE' ? <StateMark status={current.status} /> : 'Paused'}</Fact>
        <Fact name="Last measured">{current.timestamp === null ? 'never' : momentOf(current.timestamp)}</Fact>
        <Fact name="Tag">
          <code>{tag}</code>
        </Fact>
        <Fact name="Type">{type}</Fact>
        <Fact name="Schedule">{cron ? <code>{cron}</code> : 'every minute'}</Fact>
        {category && <Fact name="Category">{category}</Fact>}
        <Fact name="Active">
          <ActiveSwitch monitor={monitor} onDone={onChange} />
        </Fact>
        <Fact name="Public">
          <PublicSwitch monitor={monitor} onDone={onChange} />
        </Fact>
      </dl>
    </section>
  );
}
