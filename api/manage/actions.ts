import { accountActions } from './account.ts';
import type { Action } from './action.ts';
import { agentActions } from './agents.ts';
import { apiKeyActions } from './api-keys.ts';
import { commentActions } from './comments.ts';
import { incidentActions } from './incidents.ts';
import { eventActions } from './maintenance-events.ts';
import { maintenanceActions } from './maintenances.ts';
import { monitorViewActions } from './monitor-views.ts';
import { monitoringDataActions } from './monitoring-data.ts';
import { monitorActions } from './monitors.ts';
import { overviewActions } from './overview.ts';
import { pageActions } from './pages.ts';
import { roleActions } from './roles.ts';
import { settingActions } from './settings.ts';
import { userActions } from './users.ts';

/** Every action of `POST /manage/api`: run, documented and tested from this list. */
export const ACTIONS: readonly Action[] = [
  ...accountActions,
  ...apiKeyActions,
  ...roleActions,
  ...settingActions,
  ...userActions,
  ...overviewActions,
  ...agentActions,
  ...monitorActions,
  ...monitorViewActions,
  ...monitoringDataActions,
  ...incidentActions,
  ...commentActions,
  ...maintenanceActions,
  ...eventActions,
  ...pageActions,
];
