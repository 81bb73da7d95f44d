/** An answer that was no success, with what the server says about it. */
export class Refused extends Error {
  readonly status: number;
  /** Which fields are at fault, where the server names them. */
  readonly fields: ReadonlyMap<string, string>;

  constructor(status: number, message: string, fields: ReadonlyMap<string, string> = new Map()) {
    super(message);
    this.name = 'Refused';
    this.status = status;
    this.fields = fields;
  }
}

/** Is dispatched on the window when an action finds that nobody is signed in any more. */
export const SIGNED_OUT = 'signed-out';

interface Envelope {
  error?: { message?: string; details?: { path: string; message: string }[] };
}

/** The server itself gives up almost everything sooner: a statement after 15 s, the test of a monitor too. */
const DEADLINE_MS = 60_000;

/** Runs an action of `POST /manage/api` and returns its bare result. @throws Refused */
export async function act<Result>(action: string, data: object = {}): Promise<Result> {
  try {
    return await send<Result>('POST', '/manage/api', { action, data });
  } catch (error) {
    if (error instanceof Refused && error.status === 401) window.dispatchEvent(new Event(SIGNED_OUT));
    throw error;
  }
}

/** Asks one of the routes around sign-in, or reads a resource. @throws Refused */
export async function send<Result>(method: 'GET' | 'POST', path: string, body?: object): Promise<Result> {
  const { response, text } = await reach(path, {
    method,
    headers: { Accept: 'application/json', ...(body && { 'Content-Type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  // The server's schemas say what its answers look like; its own tests hold them to it.
  const answer = parsed(text) as Result & Envelope;
  if (response.ok) return answer;
  const { message = `The service answered ${response.status}`, details = [] } = answer.error ?? {};
  throw new Refused(response.status, message, new Map(details.map((detail) => [detail.path, detail.message])));
}

async function reach(path: string, init: RequestInit): Promise<{ response: Response; text: string }> {
  try {
    const response = await fetch(path, { ...init, signal: AbortSignal.timeout(DEADLINE_MS) });
    return { response, text: await response.text() };
  } catch (error) {
    if (error instanceof DOMException && error.name === 'TimeoutError')
      throw new Refused(0, 'The service has not answered for a minute. Look whether it was done before you try again.');
    // fetch tells no more than that nothing came back.
    throw new Refused(0, 'The service cannot be reached. Check the connection and try again.');
  }
}

/** What is no JSON says nothing. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // JSON.parse's only way to say no.
    return {};
  }
}
