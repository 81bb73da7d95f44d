import { expect } from 'vitest';
import type { Monitor } from '../../core/monitor.ts';
import type { Answer, ApiClient } from './api-client.ts';

let serial = 0;

/** A tag that no monitor of this test file has. */
export const unusedTag = (): string => `monitor-${(serial += 1)}`;

/** Creates a monitor through the API. */
export async function createMonitor(api: ApiClient, fields: object = {}): Promise<Monitor> {
  const answer = await api.post('/api/v4/monitors', { tag: unusedTag(), name: 'A monitor', ...fields });
  expect(answer.status, answer.text).toBe(201);
  return monitorOf(answer);
}

/** Creates three monitors; returns their tags. */
export async function createTags(api: ApiClient): Promise<[string, string, string]> {
  const create = async (): Promise<string> => (await createMonitor(api)).tag;
  return [await create(), await create(), await create()];
}

export function monitorOf({ body }: Answer): Monitor {
  // Held against the document by the client.
  return (body as { monitor: Monitor }).monitor;
}

export function monitorsOf({ body }: Answer): Monitor[] {
  // Held against the document by the client.
  return (body as { monitors: Monitor[] }).monitors;
}

/** The status and the message of a failure. */
export function failureOf({ status, body }: Answer): [status: number, message: string] {
  // Held against the document by the client.
  return [status, (body as { error: { message: string } }).error.message];
}
