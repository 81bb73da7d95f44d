import type { Action } from './action.ts';
import { monitorActions } from './monitors.ts';

/** Every action of `POST /manage/api`: run, documented and tested from this list. */
export const ACTIONS: readonly Action[] = [...monitorActions];
