import { useState } from 'preact/hooks';
import type { PointStatus } from '../../../core/outcome.ts';
import { DataTable, type Column } from '../parts/data-table.tsx';
import { Choice } from '../parts/field.tsx';
import { latencyOf, momentOf } from '../parts/form.ts';
import { Shown } from '../parts/notice.tsx';
import { Pager } from '../parts/pager.tsx';
import { POINT_CHOICES, StateMark, wordOf } from '../parts/state-mark.tsx';
import { useAction } from '../parts/use-action.ts';

interface Point {
  timestamp: number;
  status: PointStatus;
  latency: number;
  type: string;
}

const LIMIT = 20;
const COLUMNS: readonly Column<Point>[] = [
  { title: 'Minute', cell: ({ timestamp }) => momentOf(timestamp) },
  { title: 'Status', cell: ({ status }) => <StateMark status={status} /> },
  { title: 'Latency', kind: 'number', cell: ({ latency }) => latencyOf(latency) },
  { title: 'Origin', cell: ({ type }) => ORIGINS[type] ?? wordOf(type) },
];
const ORIGINS: Readonly<Record<string, string>> = { REALTIME: 'Measured', MANUAL: 'Written by hand' };

/** The minutes of a range one by one, newest first. */
export function Minutes({ tag, start, end }: { tag: string; start: number; end: number }) {
  const [page, setPage] = useState(1);
  const [status, setStatus] = useState('');
  const minutes = useAction<{ data: Point[]; total: number }>('getMonitoringDataPaginated', {
    ...{ monitor_tag: tag, start_time: start, end_time: end, page, limit: LIMIT },
    ...(status !== '' && { status }),
  });
  return (
    <section class="stack" aria-label="Minutes">
      <div class="title-row">
        <h2>Minutes</h2>
        <Choice
          label="Status"
          value={status}
          options={[['', 'All'], ...POINT_CHOICES]}
          onChange={(next) => {
            setStatus(next);
            setPage(1);
          }}
        />
      </div>
      <Shown of={minutes}>
        {({ data, total }) =>
          total === 0 ? (
            <p class="card empty">No such minute in this range.</p>
          ) : (
            <>
              <DataTable label="Minutes" columns={COLUMNS} rows={data} keyOf={({ timestamp }) => timestamp} />
              <Pager page={page} total={total} limit={LIMIT} onTurn={setPage} />
            </>
          )
        }
      </Shown>
    </section>
  );
}
