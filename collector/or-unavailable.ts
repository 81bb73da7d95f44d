import { isTransient } from '../db/client.ts';
import { StreamEnd } from '../proto/stream-end.ts';

/** What `work` gives. @throws StreamEnd UNAVAILABLE where the database is away; whatever else it met as it is. */
export async function orUnavailable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!isTransient(error)) throw error;
    throw new StreamEnd('UNAVAILABLE', 'the database is away', { cause: error });
  }
}
