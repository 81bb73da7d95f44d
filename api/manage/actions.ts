import { accountActions } from './account.ts';
import type { Action } from './action.ts';
import { apiKeyActions } from './api-keys.ts';
import { monitorActions } from './monitors.ts';
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
  ...monitorActions,
];
