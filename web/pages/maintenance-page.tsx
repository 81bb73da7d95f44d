import { Maintenances } from '../components/maintenance.tsx';
import { Markdown } from '../components/markdown.tsx';
import type { MaintenancePageView } from '../view.ts';
import type { Words } from '../words.ts';

/** A maintenance: what it is, and when. */
export function MaintenancePage({ page, words }: { page: MaintenancePageView; words: Words }) {
  return (
    <>
      <div class="page-head">
        <h1>{page.title}</h1>
        {page.description && <Markdown text={page.description} />}
      </div>
      <section>
        <h2>{words.say('events')}</h2>
        <Maintenances list={page.events} words={words} isOwn />
      </section>
    </>
  );
}
