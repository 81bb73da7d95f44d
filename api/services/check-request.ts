import { AppError } from '../../core/app-error.ts';
import { checkAnswerOf, checkReport, type CheckAnswer } from '../../core/check-answer.ts';
import { settleTypeData } from '../../core/monitor.ts';
import { isProbeKind, type ProbeConfig, type ProbeKind } from '../../core/type-data.ts';
import { findRegionId } from '../../db/agents.ts';
import {
  deleteCheckRequest,
  insertCheckRequest,
  readCheckRequest,
  withdrawCheckRequest,
  type CheckFailure,
  type CheckState,
} from '../../db/check-requests.ts';
import type { Context } from '../context.ts';

/** Whoever asks is answered within 15 seconds, whatever happens. */
const ANSWER_WITHIN_MS = 14_000;
/** An agent is found within this time, or there is none. */
const CLAIM_WITHIN_MS = 3000;
/** A notification that is lost costs so much at most. */
const LOOK_EVERY_MS = 1000;

/** A monitor as far as a run of it goes; it need not have been saved. */
export interface CheckedDefinition {
  monitor_type: string;
  type_data: Record<string, unknown> | null;
}

/**
 * Runs a check once, on an agent of the region or, without one, of any.
 * @throws AppError BAD_REQUEST where the definition or the region is none, RATE_LIMITED where too many runs are under
 * way, UNAVAILABLE where no agent could run it.
 */
export async function requestCheck(
  { db, checkAnswers }: Pick<Context, 'db' | 'checkAnswers'>,
  { definition, region = null }: { definition: CheckedDefinition; region?: string | null },
): Promise<CheckAnswer> {
  const probe = probeOf(definition);
  const regionId = region === null ? null : await regionNamed(db, region);
  const id = await insertCheckRequest(db, probe, regionId, ANSWER_WITHIN_MS);
  if (id === null) throw new AppError('RATE_LIMITED', 'Too many checks are under way, try again in a few seconds');
  const state = await untilAnswered({ db, checkAnswers }, id);
  // What cannot be removed now is removed by the collectors' job.
  await deleteCheckRequest(db, id).catch(() => undefined);
  return answerOf(state, probe.kind, region);
}

function probeOf({ monitor_type: kind, type_data }: CheckedDefinition): ProbeConfig {
  if (!isProbeKind(kind)) throw new AppError('BAD_REQUEST', `Monitors of type ${kind} have no check to run`);
  // The pair is the union's member by construction; TypeScript cannot follow the kind through the table.
  return { kind, config: settleTypeData(kind, type_data) } as ProbeConfig;
}

async function regionNamed(db: Context['db'], region: string): Promise<number> {
  const id = await findRegionId(db, region.replaceAll('\0', ''));
  if (id === undefined) throw new AppError('BAD_REQUEST', `Region '${region}' does not exist`);
  return id;
}

/** The request's last state: an answer, or what it stood at when the time was over. */
async function untilAnswered(
  { db, checkAnswers }: Pick<Context, 'db' | 'checkAnswers'>,
  id: number,
): Promise<CheckState | undefined> {
  const begun = performance.now();
  for (;;) {
    const passedMs = performance.now() - begun;
    const state = await readCheckRequest(db, id);
    if (state === undefined || state.state === 'answered' || passedMs >= ANSWER_WITHIN_MS) return state;
    const isUnclaimed = state.state === 'open' && passedMs >= CLAIM_WITHIN_MS;
    if (isUnclaimed && (await withdrawCheckRequest(db, id))) return state;
    const limitMs = (state.state === 'open' ? CLAIM_WITHIN_MS : ANSWER_WITHIN_MS) - passedMs;
    await checkAnswers.changed(id, Math.max(Math.min(limitMs, LOOK_EVERY_MS), 10));
  }
}

const FAILURES: Record<CheckFailure, string> = {
  busy: 'is busy with other checks, try again in a few seconds',
  gone: 'was lost before it answered',
  late: 'did not answer in time',
  unsupported: 'cannot run checks of this type',
  failed: 'could not run the check',
};

function answerOf(state: CheckState | undefined, kind: ProbeKind, region: string | null): CheckAnswer {
  if (state === undefined || state.state === 'open') {
    const of = region === null ? '' : ` of region ${region}`;
    throw new AppError('UNAVAILABLE', `No agent${of} is connected that can run ${kind} checks`);
  }
  const { agent, region: ranIn } = state;
  const failed = (failure: string): AppError => {
    // Written by the collector out of its closed list.
    return new AppError('UNAVAILABLE', `Agent ${agent} ${FAILURES[failure as CheckFailure]}`);
  };
  if (state.state === 'claimed') throw failed('late');
  if (state.report === null) throw failed(state.failure ?? 'failed');
  const report = checkReport.safeParse(JSON.parse(state.report));
  if (!report.success) throw failed('failed');
  return checkAnswerOf(report.data, { agent, region: ranIn });
}
