import { describe, expect, it } from 'vitest';
import {
  BUILT_IN_ROLES,
  covers,
  isBuiltInRole,
  isPermission,
  PERMISSIONS,
  permissionsOf,
} from '../../../core/permissions.ts';

describe('permissions', () => {
  it('are the 28 of the reference', () => {
    expect(new Set(PERMISSIONS).size).toBe(28);
    const reads = PERMISSIONS.filter((name) => name.endsWith('.read'));
    expect(reads).toHaveLength(12);
    expect(isPermission('roles.assign_users')).toBe(true);
    expect(isPermission('roles.delete')).toBe(false);
  });

  it('are given by built-in roles as the reference has it', () => {
    expect(BUILT_IN_ROLES.admin).toHaveLength(28);
    expect(PERMISSIONS.filter((name) => !BUILT_IN_ROLES.editor.includes(name))).toEqual(['api_keys.delete']);
    expect(BUILT_IN_ROLES.member.every((name) => name.endsWith('.read'))).toBe(true);
    expect(BUILT_IN_ROLES.member).toHaveLength(12);
  });

  it('are the union of what roles give, without what nobody knows', () => {
    expect([...permissionsOf([], [])]).toEqual([]);
    expect([...permissionsOf(['custom'], ['pages.write', 'gone', 'pages.write'])]).toEqual(['pages.write']);
    expect(permissionsOf(['member', 'custom'], ['pages.write']).size).toBe(13);
    expect([...permissionsOf(['constructor', '__proto__', 'toString'], [])]).toEqual([]);
    expect(isBuiltInRole('constructor')).toBe(false);
  });

  it('cover others when none is missing', () => {
    const held = permissionsOf(['member'], []);
    expect(covers(held, [])).toBe(true);
    expect(covers(held, ['pages.read', 'users.read'])).toBe(true);
    expect(covers(held, ['pages.read', 'pages.write'])).toBe(false);
  });
});
