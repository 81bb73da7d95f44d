import type { Words } from '../words.ts';

/** A moment in the visitor's zone and language, readable for machines too. */
export function Moment({ at, words }: { at: number; words: Words }) {
  return <time dateTime={new Date(at * 1000).toISOString()}>{words.moment(at)}</time>;
}
