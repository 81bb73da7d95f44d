import { useEffect, useState } from 'preact/hooks';
import { ErrorBoundary, Route, Router, useLocation } from 'preact-iso';
import type { Permission } from '../../core/permissions.ts';
import { Agents } from './agents/agents.tsx';
import { EditIncident, NewIncident } from './incidents/edit-incident.tsx';
import { Incidents } from './incidents/incidents.tsx';
import { ApiKeys } from './keys/api-keys.tsx';
import { EditMaintenance, NewMaintenance } from './maintenances/edit-maintenance.tsx';
import { Maintenances } from './maintenances/maintenances.tsx';
import { EditMonitor, NewMonitor } from './monitors/edit-monitor.tsx';
import { NEW_MONITOR } from './monitors/monitor-paths.ts';
import { Monitors } from './monitors/monitors.tsx';
import { ViewMonitor } from './monitors/view-monitor.tsx';
import { NotFound } from './not-found.tsx';
import { Overview } from './overview.tsx';
import { Fault } from './parts/notice.tsx';
import { useChange } from './parts/use-action.ts';
import { Roles } from './people/roles.tsx';
import { Users } from './people/users.tsx';
import { useSession } from './session.tsx';
import { Account } from './settings/account.tsx';
import { SiteSettings } from './settings/site-settings.tsx';
import { EditPage, NewPage } from './status-pages/edit-page.tsx';
import { StatusPages } from './status-pages/status-pages.tsx';

interface Place {
  path: string;
  title: string;
  permission: Permission;
}

/** What the navigation leads to, for those who may see it: what is watched, and what it is run with. */
const PLACES: readonly (readonly Place[])[] = [
  [
    { path: '/manage/monitors', title: 'Monitors', permission: 'monitors.read' },
    { path: '/manage/incidents', title: 'Incidents', permission: 'incidents.read' },
    { path: '/manage/maintenances', title: 'Maintenances', permission: 'maintenances.read' },
    { path: '/manage/pages', title: 'Pages', permission: 'pages.read' },
  ],
  [
    { path: '/manage/agents', title: 'Agents', permission: 'monitors.read' },
    { path: '/manage/api-keys', title: 'API keys', permission: 'api_keys.read' },
    { path: '/manage/users', title: 'Users', permission: 'users.read' },
    { path: '/manage/roles', title: 'Roles', permission: 'roles.read' },
    { path: '/manage/settings', title: 'Settings', permission: 'settings.read' },
  ],
];

/** What stands around every view. */
export function Frame() {
  return (
    <div class="frame">
      <a class="skip" href="#content">
        Skip to content
      </a>
      <Head />
      <main id="content" tabindex={-1}>
        <ErrorBoundary>
          <Views />
        </ErrorBoundary>
      </main>
    </div>
  );
}

/** The way to every view; on a phone it opens on demand. */
function Head() {
  const { session, signOut, may } = useSession();
  const { path } = useLocation();
  const { isBusy, error, run } = useChange();
  const [isOpen, setOpen] = useState(false);
  useEffect(() => setOpen(false), [path]);
  return (
    <header class={isOpen ? 'frame-head open' : 'frame-head'}>
      <a class="brand" href="/manage" aria-current={path === '/manage' ? 'page' : undefined}>
        <img src="/assets/icon.svg" alt="" width="24" height="24" />
        Farwatch
      </a>
      <button
        type="button"
        class="quiet small menu"
        aria-expanded={isOpen}
        aria-controls="ways"
        onClick={() => setOpen(!isOpen)}
      >
        Menu
      </button>
      <div class="ways" id="ways">
        <nav aria-label="Dashboard">
          <Way place={{ path: '/manage', title: 'Overview' }} isHere={path === '/manage'} />
          {PLACES.map((group, index) => (
            <ul key={index}>
              {group
                .filter(({ permission }) => may(permission))
                .map((place) => (
                  <li key={place.path}>
                    <Way place={place} isHere={path === place.path || path.startsWith(`${place.path}/`)} />
                  </li>
                ))}
            </ul>
          ))}
        </nav>
        <div class="who">
          <Way place={{ path: '/manage/account', title: session.name }} isHere={path === '/manage/account'} />
          <button type="button" class="quiet small" disabled={isBusy} onClick={() => void run(signOut)}>
            Sign out
          </button>
          <Fault error={error} />
        </div>
      </div>
    </header>
  );
}

function Way({ place: { path, title }, isHere }: { place: Omit<Place, 'permission'>; isHere: boolean }) {
  return (
    <a class="way" href={path} aria-current={isHere ? 'page' : undefined}>
      {title}
    </a>
  );
}

function Views() {
  return (
    <Router onRouteChange={() => document.getElementById('content')?.focus({ preventScroll: true })}>
      <Route path="/manage" component={Overview} />
      <Route path="/manage/monitors" component={Monitors} />
      <Route path={NEW_MONITOR} component={NewMonitor} />
      <Route path="/manage/monitors/:tag" component={ViewMonitor} />
      <Route path="/manage/monitors/:tag/edit" component={EditMonitor} />
      <Route path="/manage/incidents" component={Incidents} />
      <Route path="/manage/incidents/new" component={NewIncident} />
      <Route path="/manage/incidents/:id" component={EditIncident} />
      <Route path="/manage/maintenances" component={Maintenances} />
      <Route path="/manage/maintenances/new" component={NewMaintenance} />
      <Route path="/manage/maintenances/:id" component={EditMaintenance} />
      <Route path="/manage/pages" component={StatusPages} />
      <Route path="/manage/pages/new" component={NewPage} />
      <Route path="/manage/pages/:id" component={EditPage} />
      <Route path="/manage/agents" component={Agents} />
      <Route path="/manage/api-keys" component={ApiKeys} />
      <Route path="/manage/users" component={Users} />
      <Route path="/manage/roles" component={Roles} />
      <Route path="/manage/settings" component={SiteSettings} />
      <Route path="/manage/account" component={Account} />
      <Route default component={NotFound} />
    </Router>
  );
}
