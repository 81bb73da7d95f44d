import { parentPort, workerData } from 'node:worker_threads';
import { ownThread } from './cpu-time.ts';

/** Which exported function of which module a worker runs. */
export interface FunctionPlace {
  module: string;
  name: string;
}

/** What the worker sends: once that it is ready, and under which name the kernel knows it; then a value a call. */
export type WorkerMessage = { kind: 'ready'; thread: string | null } | { kind: 'value'; value: unknown };

const port = parentPort;
if (!port) throw new Error('function-worker runs only as a worker thread');
// What starts this worker sets it, see bounded-calls.ts.
const { module, name } = workerData as FunctionPlace;
const { [name]: run } = (await import(module)) as Record<string, ((argument: unknown) => unknown) | undefined>;
if (!run) throw new Error(`${module} exports no ${name}`);

const send = (message: WorkerMessage): void => port.postMessage(message);
const call = async (argument: unknown): Promise<void> => send({ kind: 'value', value: await run(argument) });
// What it throws ends this worker, and so the call.
port.on('message', (argument: unknown) => void call(argument));
send({ kind: 'ready', thread: ownThread() });
