import { useState } from 'preact/hooks';
import type { SiteData } from '../../../core/site-data.ts';
import { act } from '../client.ts';
import { Field } from '../parts/field.tsx';
import { valuesOf } from '../parts/form.ts';
import { Fault, Shown } from '../parts/notice.tsx';
import { useAction, useChange } from '../parts/use-action.ts';
import { useSession } from '../session.tsx';

const TEXTS = [
  ['siteName', 'Name of the service', true],
  ['siteURL', 'Public address', false],
  ['title', 'Title in the browser’s tab', false],
  ['description', 'Description for search engines', false],
  ['logo', 'Logo', false],
  ['favicon', 'Small icon', false],
  ['timezone', 'Time zone for those whose own is not known', true],
  ['language', 'Language', true],
  ['footer', 'Footer, Markdown', false],
] as const satisfies readonly (readonly [keyof SiteData, string, boolean])[];

/** What the site as a whole is called and looks like. */
export function SiteSettings() {
  const settings = useAction<SiteData>('getAllSiteData');
  return (
    <>
      <h1>Settings</h1>
      <Shown of={settings}>
        {(values) => <SettingsForm key={JSON.stringify(values)} values={values} onSaved={settings.reload} />}
      </Shown>
    </>
  );
}

function SettingsForm({ values, onSaved }: { values: SiteData; onSaved: () => void }) {
  const { may } = useSession();
  const { isBusy, error, run } = useChange();
  const [isDone, setDone] = useState(false);
  const submit = (event: SubmitEvent): void => {
    const given = Object.entries(valuesOf(event)).map(([name, text]): [string, string | null] => [
      name,
      text.trim() || null,
    ]);
    setDone(false);
    void run(() => act('storeSiteData', Object.fromEntries(given))).then((done) => {
      setDone(done);
      if (done) onSaved();
    });
  };
  return (
    <form class="card stack" onSubmit={submit}>
      <fieldset disabled={!may('settings.write')} class="grid-form">
        <legend class="unseen">Settings of the site</legend>
        {TEXTS.map(([name, label, isRequired]) => (
          <Field key={name} label={label} name={name} error={error}>
            {(control) => <input {...control} required={isRequired} defaultValue={values[name] ?? ''} />}
          </Field>
        ))}
        <Field label="Colours" name="theme" error={error}>
          {(control) => (
            <select {...control} defaultValue={values.theme}>
              <option value="system">As the visitor’s system</option>
              <option value="light">Light</option>
              <option value="dark">Dark</option>
            </select>
          )}
        </Field>
      </fieldset>
      <Fault error={error} />
      <button type="submit" disabled={isBusy || !may('settings.write')}>
        {isBusy ? 'Saving …' : 'Save settings'}
      </button>
      <p role="status">{isDone && 'Saved.'}</p>
    </form>
  );
}
