import { Empty, Shown } from '../parts/notice.tsx';
import type { DashboardPage } from '../parts/resource-types.ts';
import { useAction } from '../parts/use-action.ts';
import { useSession } from '../session.tsx';

/** All status pages. */
export function StatusPages() {
  const { may } = useSession();
  const pages = useAction<DashboardPage[]>('getPages');
  return (
    <>
      <div class="title-row">
        <h1>Status pages</h1>
        {may('pages.write') && (
          <a class="button" href="/manage/pages/new">
            New page
          </a>
        )}
      </div>
      <Shown of={pages}>
        {(list) =>
          list.length === 0 ? (
            <Empty title="No pages">
              <p>A page shows chosen monitors to the public.</p>
            </Empty>
          ) : (
            <div class="card table-box">
              <table>
                <thead>
                  <tr>
                    <th scope="col">Title</th>
                    <th scope="col">Address</th>
                    <th scope="col">Monitors</th>
                  </tr>
                </thead>
                <tbody>
                  {list.map((page) => (
                    <tr key={page.id}>
                      <th scope="row">
                        <a href={`/manage/pages/${page.id}`}>{page.page_title}</a>
                      </th>
                      <td>
                        <a href={addressOf(page)} target="_self">
                          {addressOf(page)}
                        </a>
                      </td>
                      <td>{page.monitors.length}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
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
