import { useLocation, useRoute } from 'preact-iso';
import { act } from '../client.ts';
import { AskFirst } from '../parts/dialog.tsx';
import { Heading } from '../parts/heading.tsx';
import { Empty, Shown } from '../parts/notice.tsx';
import type { DashboardPage } from '../parts/resource-types.ts';
import { useAction } from '../parts/use-action.ts';
import { useSession } from '../session.tsx';
import { PageForm } from './page-form.tsx';
import { addressOf } from './status-pages.tsx';

/** Makes a page. */
export function NewPage() {
  const { route } = useLocation();
  return (
    <>
      <Heading title="New page" />
      <PageForm page={null} onSaved={({ id }) => route(`/manage/pages/${id}`)} />
    </>
  );
}

/** Changes a page, with what visitors will see of it beside. */
export function EditPage() {
  const { params } = useRoute();
  const { route } = useLocation();
  const { may } = useSession();
  const pages = useAction<DashboardPage[]>('getPages');
  return (
    <Shown of={pages}>
      {(list) => {
        const page = list.find(({ id }) => id === Number(params.id));
        if (!page)
          return (
            <Empty title="There is no such page">
              <a href="/manage/pages">All pages</a>
            </Empty>
          );
        return (
          <>
            <Heading title={page.page_title}>
              <a class="button quiet" href={addressOf(page)} target="_self">
                Open the page
              </a>
              {may('pages.write') && page.page_path !== '~home' && (
                <AskFirst
                  label="Delete"
                  title={`Delete “${page.page_title}”?`}
                  verb="Delete page"
                  work={() => act('deletePage', { id: page.id })}
                  onDone={() => route('/manage/pages')}
                >
                  <p>Its address leads nowhere from then on. Its monitors stay.</p>
                </AskFirst>
              )}
            </Heading>
            {may('pages.write') ? (
              <PageForm key={page.updated_at} page={page} onSaved={pages.reload} />
            ) : (
              <section class="card">
                <h2>As visitors see it</h2>
                <iframe class="preview" title="The page" src={addressOf(page)} />
              </section>
            )}
          </>
        );
      }}
    </Shown>
  );
}
