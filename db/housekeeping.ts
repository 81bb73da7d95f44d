import type pg from 'pg';
import { forgetAbsences } from './absences.ts';
import { isHeld } from './client.ts';
import { engineOf } from './engine.ts';
import { DAY_SECONDS, minutesInSpans, TIME_RELATIONS, type TimeRelation } from './engines/engine.ts';
import { purgeDeleted } from './purge.ts';
import { AHEAD_DAYS, writableRange } from './retention.ts';
import { forgetAnswers } from './kept-answers.ts';
import { makeRoom } from './room.ts';

/** Room is made this far ahead, so that no live minute waits for it. */
const ROOM_AHEAD_DAYS = 3;
/** What is compressed is no longer cheap to change: an agent's spool reaches back 72 hours, and a day is added. */
const COMPRESS_AFTER_DAYS = 4;
/** Spans compressed in one round, so that a round ends. */
const COMPRESS_LIMIT = 2;
/** Rows stay this long beyond retention: writers believe in a span for ten minutes after they saw it (db/room.ts). */
const GRACE_SECONDS = 3600;

/** What a round of housekeeping did. */
export interface HouseReport {
  purged: number;
  /** Answers that were kept for repeated requests, and absences from before the results that are kept. */
  forgotten: number;
  dropped: number;
  compressed: number;
  /** Steps that were left to the next round because readers or writers held what they need. */
  held: number;
}

/**
 * One round of housekeeping: room ahead, deleted monitors' rows, kept answers, what retention ends, compression. Any
 * number of collectors may call it at any time; what one has done the next finds done. It waits for readers two seconds
 * at a time, never stops writers, and leaves what is held to the next round.
 */
export async function keepHouse(pool: pg.Pool): Promise<HouseReport> {
  const report: HouseReport = { purged: 0, forgotten: 0, dropped: 0, compressed: 0, held: 0 };
  const attempt = async (part: keyof HouseReport, work: () => Promise<number>): Promise<void> => {
    try {
      report[part] += await work();
    } catch (error) {
      if (!isHeld(error)) throw error;
      report.held += 1;
    }
  };
  for (const relation of TIME_RELATIONS) {
    await attempt('held', async () => {
      await makeRoomAhead(pool, relation);
      return 0;
    });
  }
  await attempt('purged', () => purgeDeleted(pool));
  await attempt('forgotten', () => forgetAnswers(pool));
  await attempt('forgotten', async () => forgetAbsences(pool, (await writableRange(pool, 'check_results')).from));
  for (const relation of TIME_RELATIONS) {
    await attempt('dropped', () => endRetention(pool, relation));
    await attempt('compressed', () => compress(pool, relation));
  }
  return report;
}

async function makeRoomAhead(pool: pg.Pool, relation: TimeRelation): Promise<void> {
  const now = await databaseNow(pool, relation);
  const ahead = { from: now, to: now + ROOM_AHEAD_DAYS * DAY_SECONDS };
  await makeRoom(pool, relation, minutesInSpans(relation, ahead));
}

async function endRetention(pool: pg.Pool, relation: TimeRelation): Promise<number> {
  const { from } = await writableRange(pool, relation);
  const edge = from - GRACE_SECONDS;
  if (relation === 'data_points' && (await hasMarksBefore(pool, edge))) return 0;
  return (await engineOf(pool)).dropBefore(pool, relation, edge);
}

/** A mark whose points were gone could never be worked off: the roller comes first. */
async function hasMarksBefore(pool: pg.Pool, edge: number): Promise<boolean> {
  const { rowCount } = await pool.query('select from dirty_hours where hour < to_timestamp($1) limit 1', [edge]);
  return rowCount === 1;
}

async function compress(pool: pg.Pool, relation: TimeRelation): Promise<number> {
  const edge = (await databaseNow(pool, relation)) - COMPRESS_AFTER_DAYS * DAY_SECONDS;
  return (await engineOf(pool)).compressBefore(pool, relation, edge, COMPRESS_LIMIT);
}

/** The current minute by the database's clock. */
async function databaseNow(pool: pg.Pool, relation: TimeRelation): Promise<number> {
  return (await writableRange(pool, relation)).to - AHEAD_DAYS * DAY_SECONDS;
}
