import { isTransient } from '../../db/client.ts';

/** Tries again what the database asks to try again, as every caller does. */
export async function persist(work: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await work();
      return;
    } catch (error) {
      if (!isTransient(error)) throw error;
    }
  }
}

/** The same, several times over. */
export async function repeat(times: number, work: () => Promise<unknown>): Promise<void> {
  for (let count = 0; count < times; count++) await persist(work);
}
