import { parentPort } from 'node:worker_threads';
import { ownThread } from '../../runtime/cpu-time.ts';
import type { SandboxAnswer } from './answer.ts';
import { createEngine } from './quickjs-engine.ts';

/** What the sandbox sends its worker: one evaluation at a time. */
export interface WorkerJob {
  source: string;
  /** The argument of the function, as JSON. */
  results: string;
}

/** What the worker sends: once that it is ready, and under which name the kernel knows it; then an answer a job. */
export type WorkerMessage = { kind: 'ready'; thread: string | null } | { kind: 'answer'; answer: SandboxAnswer };

const port = parentPort;
if (!port) throw new Error('eval-worker runs only as a worker thread');
const engine = createEngine();

const send = (message: WorkerMessage): void => port.postMessage(message);

port.on('message', (job: WorkerJob) => {
  void engine.evaluate(job.source, job.results).then((answer) => send({ kind: 'answer', answer }));
});
send({ kind: 'ready', thread: ownThread() });
