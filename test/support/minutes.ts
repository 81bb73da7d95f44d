import { setTimeout as wait } from 'node:timers/promises';

/** A change this close to the end of a minute holds only from the minute after the next (db/migrations). */
const NOTICE_SECONDS = 2;

export function unixSeconds(): number {
  return Date.now() / 1000;
}

/** The minute from which a change holds that was made between `from` and `to`, unix seconds. */
export function changeHoldsFrom(from: number, to: number): number {
  const next = (seconds: number): number => (Math.floor((seconds + NOTICE_SECONDS) / 60) + 1) * 60;
  if (next(from) !== next(to)) throw new Error('the change was made just when the minute turned');
  return next(to);
}

/** Waits for a moment that leaves `seconds` until the notice of the next minute ends. */
export async function untilRoomInMinute(seconds: number): Promise<void> {
  const left = 60 - NOTICE_SECONDS - (unixSeconds() % 60);
  if (left < seconds) await wait((left + NOTICE_SECONDS + 0.1) * 1000);
}

/** Waits until a moment, unix seconds. */
export async function until(seconds: number): Promise<void> {
  await wait(Math.max(0, seconds * 1000 - Date.now()));
}
