import { ErrorBoundary, Route, Router, useLocation } from 'preact-iso';
import type { Permission } from '../../core/permissions.ts';
import { Agents } from './agents/agents.tsx';
import { EditIncident, NewIncident } from './incidents/edit-incident.tsx';
import { Incidents } from './incidents/incidents.tsx';
import { ApiKeys } from './keys/api-keys.tsx';
import { EditMaintenance, NewMaintenance } from './maintenances/edit-maintenance.tsx';
import { Maintenances } from './maintenances/maintenances.tsx';
import { EditMonitor, NewMonitor } from './monitors/edit-monitor.tsx';
import { Monitors } from './monitors/monitors.tsx';
import { NotFound } from './not-found.tsx';
import { Overview } from './overview.tsx';
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

/** What the navigation leads to, for those who may see it. */
const PLACES: readonly Place[] = [
  { path: '/manage/monitors', title: 'Monitors', permission: 'monitors.read' },
  { path: '/manage/incidents', title: 'Incidents', permission: 'incidents.read' },
  { path: '/manage/maintenances', title: 'Maintenances', permission: 'maintenances.read' },
  { path: '/manage/pages', title: 'Pages', permission: 'pages.read' },
  { path: '/manage/agents', title: 'Agents', permission: 'monitors.read' },
  { path: '/manage/api-keys', title: 'API keys', permission: 'api_keys.read' },
  { path: '/manage/users', title: 'Users', permission: 'users.read' },
  { path: '/manage/roles', title: 'Roles', permission: 'roles.read' },
  { path: '/manage/settings', title: 'Settings', permission: 'settings.read' },
];

/** What stands around every view. */
export function Frame() {
  const { session, signOut, may } = useSession();
  const { path } = useLocation();
  return (
    <div class="frame">
      <a class="skip" href="#content">
        Skip to content
      </a>
      <header class="frame-head">
        <a class="brand" href="/manage">
          Farwatch
        </a>
        <nav aria-label="Dashboard">
          <ul>
            {PLACES.filter(({ permission }) => may(permission)).map((place) => (
              <li key={place.path}>
                <a href={place.path} aria-current={path.startsWith(place.path) ? 'page' : undefined}>
                  {place.title}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <div class="who">
          <a href="/manage/account">{session.name}</a>
          <button type="button" class="quiet" onClick={() => void signOut()}>
            Sign out
          </button>
        </div>
      </header>
      <main id="content" tabindex={-1}>
        <ErrorBoundary>
          <Router>
            <Route path="/manage" component={Overview} />
            <Route path="/manage/monitors" component={Monitors} />
            <Route path="/manage/monitors/new" component={NewMonitor} />
            <Route path="/manage/monitors/:id" component={EditMonitor} />
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
        </ErrorBoundary>
      </main>
    </div>
  );
}
