/** What may be done in the dashboard and through the API, and by whom (reference §7, "Permissions" and "Roles"). */

export const PERMISSIONS = [
  'monitors.read',
  'monitors.write',
  'incidents.read',
  'incidents.write',
  'maintenances.read',
  'maintenances.write',
  'pages.read',
  'pages.write',
  'triggers.read',
  'triggers.write',
  'alerts.read',
  'alerts.write',
  'api_keys.read',
  'api_keys.write',
  'api_keys.delete',
  'users.read',
  'users.write',
  'settings.read',
  'settings.write',
  'subscribers.read',
  'subscribers.write',
  'email_templates.read',
  'email_templates.write',
  'images.write',
  'roles.read',
  'roles.write',
  'roles.assign_permissions',
  'roles.assign_users',
] as const;

export type Permission = (typeof PERMISSIONS)[number];

/** The roles that are always there, with what they permit: nobody changes them, and no row holds their permissions. */
export const BUILT_IN_ROLES: Readonly<Record<'admin' | 'editor' | 'member', readonly Permission[]>> = {
  admin: PERMISSIONS,
  editor: PERMISSIONS.filter((permission) => permission !== 'api_keys.delete'),
  member: PERMISSIONS.filter((permission) => permission.endsWith('.read')),
};

const BUILT_IN_SETS = {
  admin: new Set(BUILT_IN_ROLES.admin),
  editor: new Set(BUILT_IN_ROLES.editor),
  member: new Set(BUILT_IN_ROLES.member),
};

/** True for the name of a permission. */
export function isPermission(name: string): name is Permission {
  return (PERMISSIONS as readonly string[]).includes(name);
}

/** True where `held` has all of `asked`: nobody gives, takes or changes what he does not have himself. */
export function covers(held: ReadonlySet<Permission>, asked: Iterable<Permission>): boolean {
  return [...asked].every((permission) => held.has(permission));
}

/** What the roles of these ids permit together; `granted` are the permissions stored for custom ones among them. */
export function permissionsOf(roleIds: readonly string[], granted: readonly string[]): ReadonlySet<Permission> {
  const [only] = roleIds;
  // Most often it is just this; nothing is stored for a built-in role.
  if (roleIds.length === 1 && only !== undefined && isBuiltInRole(only)) return BUILT_IN_SETS[only];
  const builtIn = roleIds.flatMap((id) => (isBuiltInRole(id) ? BUILT_IN_ROLES[id] : []));
  return new Set([...builtIn, ...granted.filter(isPermission)]);
}

/** True for the id of a role that nobody changes. */
export function isBuiltInRole(id: string): id is keyof typeof BUILT_IN_ROLES {
  return Object.hasOwn(BUILT_IN_ROLES, id);
}
