import { ErrorBoundary, Route, Router, useLocation } from 'preact-iso';
import type { Permission } from '../../core/permissions.ts';
import { useSession } from './session.tsx';
import { ApiKeys } from './views/api-keys.tsx';
import { NotFound } from './views/not-found.tsx';

interface Place {
  path: string;
  title: string;
  permission: Permission;
}

/** What the navigation leads to, for those who may see it. */
const PLACES: readonly Place[] = [{ path: '/manage/api-keys', title: 'API keys', permission: 'api_keys.read' }];

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
          <span>{session.name}</span>
          <button type="button" class="quiet" onClick={() => void signOut()}>
            Sign out
          </button>
        </div>
      </header>
      <main id="content" tabindex={-1}>
        <ErrorBoundary>
          <Router>
            <Route path="/manage/api-keys" component={ApiKeys} />
            <Route default component={NotFound} />
          </Router>
        </ErrorBoundary>
      </main>
    </div>
  );
}
