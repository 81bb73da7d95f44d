import { useState } from 'preact/hooks';
import type { PageSettings } from '../../../core/page-settings.ts';
import { act } from '../client.ts';
import { ChangeForm } from '../parts/change-form.tsx';
import { Field } from '../parts/field.tsx';
import type { DashboardPage } from '../parts/resource-types.ts';
import { OrderedMonitors } from './ordered-monitors.tsx';
import { PagePreview } from './page-preview.tsx';
import { PageSettingsForm } from './page-settings-form.tsx';

interface Props {
  /** Null: a new one. */
  page: DashboardPage | null;
  onSaved: (page: DashboardPage) => void;
}

/** The texts of a page's form, as they stand in it. */
interface Texts {
  page_title: string;
  page_path: string;
  page_header: string;
  page_logo: string;
  page_subheader: string;
}

/** Makes a page or changes one; what it will look like stands beside. */
export function PageForm({ page, onSaved }: Props) {
  const [texts, setTexts] = useState(() => textsOf(page));
  const [tags, setTags] = useState(page?.monitors.map(({ monitor_tag }) => monitor_tag) ?? []);
  const [settings, setSettings] = useState<Partial<PageSettings>>(page?.page_settings ?? {});
  const fields = { ...fieldsOf(page, texts), page_settings: settings, monitors: tags };
  const save = async (): Promise<void> => onSaved(await act<DashboardPage>(page ? 'updatePage' : 'createPage', fields));
  return (
    <div class="with-preview">
      <section class="card">
        <ChangeForm verb={page ? 'Save changes' : 'Create page'} busy="Saving …" work={save}>
          {(error) => (
            <>
              <TextFields texts={texts} isHome={page?.page_path === '~home'} error={error} onChange={setTexts} />
              <OrderedMonitors tags={tags} onChange={setTags} />
              <PageSettingsForm settings={settings} onChange={setSettings} />
            </>
          )}
        </ChangeForm>
      </section>
      <PagePreview fields={fields} />
    </div>
  );
}

const BLANK: Texts = { page_title: '', page_path: '', page_header: '', page_logo: '', page_subheader: '' };

function textsOf(page: DashboardPage | null): Texts {
  return page ? { ...page, page_logo: page.page_logo ?? '', page_subheader: page.page_subheader ?? '' } : BLANK;
}

/** What is sent of them; the home page keeps its address. */
function fieldsOf(page: DashboardPage | null, texts: Texts) {
  const { page_title, page_path, page_header, page_logo, page_subheader } = texts;
  return {
    ...(page && { id: page.id }),
    ...{ page_title, page_header },
    ...(page?.page_path !== '~home' && { page_path }),
    page_logo: page_logo || null,
    page_subheader: page_subheader || null,
  };
}

interface FieldsProps {
  texts: Texts;
  isHome: boolean;
  error: Error | undefined;
  onChange: (texts: Texts) => void;
}

function TextFields({ texts, isHome, error, onChange }: FieldsProps) {
  const bound = (name: keyof Texts) => ({
    value: texts[name],
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) =>
      onChange({ ...texts, [name]: currentTarget.value }),
  });
  return (
    <>
      <div class="grid-form">
        <Field label="Title" name="page_title" error={error} hint="In the browser’s tab and at the top">
          {(control) => <input {...control} required {...bound('page_title')} />}
        </Field>
        {!isHome && (
          <Field label="Address" name="page_path" error={error} hint="Lowercase letters, digits, - and _">
            {(control) => <input {...control} required {...bound('page_path')} />}
          </Field>
        )}
        <Field label="Heading" name="page_header" error={error}>
          {(control) => <input {...control} required {...bound('page_header')} />}
        </Field>
        <Field label="Logo" name="page_logo" error={error} hint="The address of a picture">
          {(control) => <input {...control} {...bound('page_logo')} />}
        </Field>
      </div>
      <Field label="Below the heading" name="page_subheader" error={error} hint="Markdown">
        {(control) => <textarea {...control} {...bound('page_subheader')} />}
      </Field>
    </>
  );
}
