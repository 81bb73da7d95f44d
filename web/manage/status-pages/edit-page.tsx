import { useLocation, useRoute } from 'preact-iso';
import { useState } from 'preact/hooks';
import type { PageSettings } from '../../../core/page-settings.ts';
import { act } from '../client.ts';
import { Confirm } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { valuesOf } from '../parts/form.ts';
import { Empty, Fault, Shown } from '../parts/notice.tsx';
import type { DashboardPage } from '../parts/resource-types.ts';
import { useAction, useChange } from '../parts/use-action.ts';
import { useSession } from '../session.tsx';
import { OrderedMonitors } from './ordered-monitors.tsx';
import { PageSettingsForm } from './page-settings-form.tsx';
import { addressOf } from './status-pages.tsx';

/** Makes a page. */
export function NewPage() {
  const { route } = useLocation();
  return (
    <>
      <h1>New page</h1>
      <PageForm page={null} onSaved={() => route('/manage/pages')} />
    </>
  );
}

/** Changes a page, with what visitors see of it beside. */
export function EditPage() {
  const { params } = useRoute();
  const { route } = useLocation();
  const { may } = useSession();
  const pages = useAction<DashboardPage[]>('getPages');
  const [isAsking, setAsking] = useState(false);
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
            <div class="title-row">
              <h1>{page.page_title}</h1>
              {may('pages.write') && page.page_path !== '~home' && (
                <button type="button" class="danger" onClick={() => setAsking(true)}>
                  Delete
                </button>
              )}
            </div>
            {may('pages.write') && <PageForm key={page.updated_at} page={page} onSaved={pages.reload} />}
            <section class="card">
              <h2>As visitors see it</h2>
              <iframe key={page.updated_at} class="preview" title="Preview of the page" src={addressOf(page)} />
            </section>
            {isAsking && (
              <Confirm
                title={`Delete “${page.page_title}”?`}
                verb="Delete page"
                work={() => act('deletePage', { id: page.id }).then(() => route('/manage/pages'))}
                onClose={() => setAsking(false)}
              >
                <p>Its address leads nowhere from then on. Its monitors stay.</p>
              </Confirm>
            )}
          </>
        );
      }}
    </Shown>
  );
}

interface FormProps {
  page: DashboardPage | null;
  onSaved: () => void;
}

function PageForm({ page, onSaved }: FormProps) {
  const { isBusy, error, run } = useChange();
  const [tags, setTags] = useState(page?.monitors.map(({ monitor_tag }) => monitor_tag) ?? []);
  const [settings, setSettings] = useState<Partial<PageSettings>>(page?.page_settings ?? {});
  const submit = (event: SubmitEvent): void => {
    const { page_path: path, ...texts } = valuesOf(event);
    const fields = {
      ...texts,
      page_subheader: texts.page_subheader === '' ? null : texts.page_subheader,
      page_logo: texts.page_logo === '' ? null : texts.page_logo,
      ...(path !== undefined && { page_path: path }),
      page_settings: settings,
      monitors: tags,
    };
    void run(() => (page ? act('updatePage', { id: page.id, ...fields }) : act('createPage', fields))).then(
      (done) => done && onSaved(),
    );
  };
  return (
    <form class="card stack" onSubmit={submit}>
      <div class="grid-form">
        <Field label="Title" name="page_title" error={error} hint="In the browser’s tab and at the top">
          {(control) => <input {...control} required defaultValue={page?.page_title} />}
        </Field>
        {page?.page_path !== '~home' && (
          <Field label="Address" name="page_path" error={error} hint="Lowercase letters, digits, - and _">
            {(control) => <input {...control} required defaultValue={page?.page_path} />}
          </Field>
        )}
        <Field label="Heading" name="page_header" error={error}>
          {(control) => <input {...control} required defaultValue={page?.page_header} />}
        </Field>
        <Field label="Logo" name="page_logo" error={error} hint="The address of a picture">
          {(control) => <input {...control} type="url" defaultValue={page?.page_logo ?? ''} />}
        </Field>
      </div>
      <Field label="Below the heading" name="page_subheader" error={error} hint="Markdown">
        {(control) => <textarea {...control} defaultValue={page?.page_subheader ?? ''} />}
      </Field>
      <OrderedMonitors tags={tags} onChange={setTags} />
      <PageSettingsForm settings={settings} onChange={setSettings} />
      <Fault error={error} />
      <button type="submit" disabled={isBusy}>
        {isBusy ? 'Saving …' : page ? 'Save changes' : 'Create page'}
      </button>
    </form>
  );
}
