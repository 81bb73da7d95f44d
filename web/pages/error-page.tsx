import type { Words } from '../words.ts';

/** The faults that a visitor is told apart; every other is a 500 to him. */
export type ErrorStatus = 404 | 500 | 503;

/** What went wrong, in a visitor's words. */
export function ErrorPage({ status, words }: { status: ErrorStatus; words: Words }) {
  return (
    <div class="page-head">
      <h1>{words.say(`error.${status}.title`)}</h1>
      <p>{words.say(`error.${status}.text`)}</p>
    </div>
  );
}
