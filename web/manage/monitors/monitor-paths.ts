/** Where monitors stand in the dashboard. No tag begins with a tilde. */
export const NEW_MONITOR = '/manage/monitors/~new';

export function viewOf(tag: string): string {
  return `/manage/monitors/${tag}`;
}

export function editOf(tag: string): string {
  return `/manage/monitors/${tag}/edit`;
}
