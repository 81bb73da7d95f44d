import { useState } from 'preact/hooks';
import type { PageSettings } from '../../../core/page-settings.ts';
import { act } from '../client.ts';
import { TextField } from '../parts/bound-fields.tsx';
import { ChangeForm } from '../parts/change-form.tsx';
import { Field } from '../parts/field.tsx';
import { changedOf } from '../parts/form.ts';
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
  const [tags, setTags] = useState(() => tagsOf(page));
  const [settings, setSettings] = useState<Partial<PageSettings>>(page?.page_settings ?? {});
  const given = { ...fieldsOf(texts), page_settings: settings, monitors: tags };
  const fields = page ? { id: page.id, ...changesOf(page, texts, given) } : given;
  const { page_title: title, page_header: heading, page_path: path } = texts;
  const isComplete = [title, heading, path].every((text) => text.trim() !== '');
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
      <PagePreview fields={fields} isComplete={isComplete} />
    </div>
  );
}

const BLANK: Texts = { page_title: '', page_path: '', page_header: '', page_logo: '', page_subheader: '' };

function textsOf(page: DashboardPage | null): Texts {
  return page ? { ...page, page_logo: page.page_logo ?? '', page_subheader: page.page_subheader ?? '' } : BLANK;
}

function tagsOf(page: DashboardPage | null): string[] {
  return page?.monitors.map(({ monitor_tag }) => monitor_tag) ?? [];
}

function fieldsOf({ page_title, page_path, page_header, page_logo, page_subheader }: Texts) {
  return {
    ...{ page_title, page_path, page_header },
    page_logo: page_logo || null,
    page_subheader: page_subheader || null,
  };
}

/** What is given otherwise than the page has it; of the settings too, which the server merges. */
function changesOf(page: DashboardPage, texts: Texts, given: { page_settings: object; monitors: string[] }) {
  const { page_settings: settings, monitors } = given;
  return changedOf(
    { ...given, page_settings: changedOf(settings, page.page_settings) },
    { ...textsOf(page), page_settings: page.page_settings, monitors: tagsOf(page) },
    { ...texts, page_settings: settings, monitors },
  );
}

interface FieldsProps {
  texts: Texts;
  isHome: boolean;
  error: Error | undefined;
  onChange: (texts: Texts) => void;
}

function TextFields({ texts, isHome, error, onChange }: FieldsProps) {
  const bound = (name: keyof Texts) => ({
    ...{ name, error, value: texts[name] },
    onChange: (text: string) => onChange({ ...texts, [name]: text }),
  });
  return (
    <>
      <div class="grid-form">
        <TextField label="Title" {...bound('page_title')} hint="In the browser’s tab and at the top" />
        {!isHome && <TextField label="Address" {...bound('page_path')} hint="Lowercase letters, digits, - and _" />}
        <TextField label="Heading" {...bound('page_header')} />
        <TextField label="Logo" {...bound('page_logo')} isOptional hint="The address of a picture" />
      </div>
      <Field label="Below the heading" name="page_subheader" error={error} hint="Markdown">
        {(control) => (
          <textarea
            {...control}
            value={texts.page_subheader}
            onInput={({ currentTarget }) => onChange({ ...texts, page_subheader: currentTarget.value })}
          />
        )}
      </Field>
    </>
  );
}
