import type { SiteData } from '../../../core/site-data.ts';
import { act } from '../client.ts';
import { ChangeForm } from '../parts/change-form.tsx';
import { Field, SelectField } from '../parts/field.tsx';
import { blanksAsNull, changedOf } from '../parts/form.ts';
import { Heading } from '../parts/heading.tsx';
import { Shown } from '../parts/notice.tsx';
import { useAction } from '../parts/use-action.ts';
import { ZoneField } from '../parts/zone-field.tsx';
import { useSession } from '../session.tsx';

const LINES = [
  ['siteName', 'Name of the service', undefined],
  ['siteURL', 'Public address', 'Where visitors find it: https://status.example.com'],
  ['title', 'Title in the browser’s tab', 'Without: the name of the service.'],
  ['logo', 'Logo', 'An address, or a path on this host'],
  ['favicon', 'Small icon', 'The same, for the browser’s tab'],
] as const satisfies readonly (readonly [keyof SiteData, string, string | undefined])[];

const TEXTS = [
  ['description', 'Description', 'For search engines and previews'],
  ['footer', 'Footer', 'Markdown'],
] as const satisfies readonly (readonly [keyof SiteData, string, string])[];

const THEMES = [
  ['system', 'As the visitor’s system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const;

interface Props {
  values: SiteData;
  error: Error | undefined;
}

/** What the site as a whole is called and looks like. */
export function SiteSettings() {
  const { may, refusal } = useSession();
  const settings = useAction<SiteData>('getAllSiteData');
  return (
    <>
      <Heading title="Settings" />
      <Shown of={settings}>
        {(values) =>
          may('settings.write') ? (
            <section class="card">
              <ChangeForm
                verb="Save settings"
                busy="Saving …"
                done="Saved."
                work={(given, began) => act('storeSiteData', changedOf(blanksAsNull(given), began, given))}
              >
                {(error) => (
                  <>
                    <Names values={values} error={error} />
                    <Texts values={values} error={error} />
                  </>
                )}
              </ChangeForm>
            </section>
          ) : (
            <section class="card">
              <fieldset disabled>
                <legend>{refusal('settings.write')}</legend>
                <Names values={values} error={undefined} />
                <Texts values={values} error={undefined} />
              </fieldset>
            </section>
          )
        }
      </Shown>
    </>
  );
}

function Names({ values, error }: Props) {
  return (
    <div class="grid-form">
      {LINES.map(([name, label, hint]) => (
        <Field key={name} label={label} name={name} hint={hint} error={error}>
          {(control) => <input {...control} required={name === 'siteName'} defaultValue={values[name] ?? ''} />}
        </Field>
      ))}
      <ZoneField
        label="Time zone"
        name="timezone"
        hint="For those whose own is not known."
        error={error}
        value={values.timezone}
      />
      <Field label="Language" name="language" hint="For those who wish for none: en, de, fr, es or ja." error={error}>
        {(control) => <input {...control} required defaultValue={values.language} />}
      </Field>
      <SelectField label="Colours" name="theme" error={error} options={THEMES} chosen={values.theme} />
    </div>
  );
}

function Texts({ values, error }: Props) {
  return (
    <div class="grid-form">
      {TEXTS.map(([name, label, hint]) => (
        <Field key={name} label={label} name={name} hint={hint} error={error}>
          {(control) => <textarea {...control} defaultValue={values[name] ?? ''} />}
        </Field>
      ))}
    </div>
  );
}
