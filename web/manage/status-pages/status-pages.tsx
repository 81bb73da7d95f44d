import { DataTable, type Column } from '../parts/data-table.tsx';
import { momentOfText } from '../parts/form.ts';
import { Heading } from '../parts/heading.tsx';
import { Empty, Shown } from '../parts/notice.tsx';
import type { DashboardPage } from '../parts/resource-types.ts';
import { useAction } from '../parts/use-action.ts';
import { useSession } from '../session.tsx';

const COLUMNS: readonly Column<DashboardPage>[] = [
  { title: 'Title', cell: ({ id, page_title: title }) => <a href={`/manage/pages/${id}`}>{title}</a> },
  {
    title: 'Address',
    cell: (page) => (
      <a href={addressOf(page)} target="_self">
        {addressOf(page)}
      </a>
    ),
  },
  { title: 'Monitors', kind: 'number', cell: ({ monitors }) => monitors.length },
  { title: 'Changed', cell: ({ updated_at: at }) => momentOfText(at) },
];

/** All status pages. */
export function StatusPages() {
  const { may } = useSession();
  const pages = useAction<DashboardPage[]>('getPages');
  return (
    <>
      <Heading title="Status pages">
        {may('pages.write') && (
          <a class="button" href="/manage/pages/new">
            New page
          </a>
        )}
      </Heading>
      <Shown of={pages}>
        {(list) =>
          list.length === 0 ? (
            <Empty title="No pages">
              <p>A page shows chosen monitors to the public.</p>
            </Empty>
          ) : (
            <DataTable label="Status pages" columns={COLUMNS} rows={list} keyOf={({ id }) => id} />
          )
        }
      </Shown>
    </>
  );
}

/** Where visitors find a page. */
export function addressOf({ page_path: path }: { page_path: string }): string {
  return path === '~home' ? '/' : `/${path}`;
}
