import { setTimeout as wait } from 'node:timers/promises';
import { openAgentStream } from '../../proto/agent-stream.ts';
import { createCollectorServer } from '../../proto/collector-stream.ts';
import { StreamEnd } from '../../proto/stream-end.ts';
import { agentStatus } from './agent-status.ts';
import { issueAgentTls, testServerTls } from './test-identity.ts';

/** The wire's own server behind which nothing is but an echo. */
export interface EchoCollector {
  address: string;
  /** Why connections, streams and calls were refused, in order. */
  refusals: string[];
  /** What broke. */
  faults: unknown[];
  /** Bytes of the longest message that was taken. */
  longest: number;
  close(): Promise<void>;
}

export async function startEchoCollector(): Promise<EchoCollector> {
  const refuse = (): Promise<never> => Promise.reject(new StreamEnd('PERMISSION_DENIED', 'nobody is invited'));
  const server = createCollectorServer({
    async stream({ messages, send }) {
      for await (const message of messages) {
        if (message.body !== 'status') continue;
        const { definitions, epoch } = message.status;
        echo.longest = Math.max(echo.longest, epoch.length);
        await send({ body: 'drain', drain: { reason: String(definitions) } });
      }
    },
    renew: refuse,
    enrol: refuse,
    onFault: (error) => echo.faults.push(error),
    onRefused: (why) => echo.refusals.push(why),
  });
  const port = await server.listen({ host: '127.0.0.1', port: 0 }, testServerTls);
  const echo: EchoCollector = {
    address: `127.0.0.1:${port}`,
    refusals: [],
    faults: [],
    longest: 0,
    close: () => server.close(0),
  };
  return echo;
}

const ECHO_MS = 20_000;

/** An agent in good faith, whose stream must go on whatever others do. */
export interface Witness {
  /** Sends something and waits for its echo. */
  isServed(): Promise<void>;
  close(): Promise<void>;
}

export async function openWitness(address: string): Promise<Witness> {
  const stream = openAgentStream({ address, tls: (await issueAgentTls(77)).tls });
  let last = 0;
  let heard: (what: string) => void = () => undefined;
  const reading = (async () => {
    for await (const message of stream.messages) if (message.body === 'drain') heard(message.drain.reason);
  })().catch((error: unknown) => heard(String(error)));
  const witness = {
    async isServed() {
      const number = String(++last);
      const echo = new Promise<string>((resolve) => (heard = resolve));
      await stream.send({ body: 'status', status: agentStatus({ definitions: last }) });
      const told = await Promise.race([echo, wait(ECHO_MS, 'nothing', { ref: false })]);
      if (told !== number) throw new Error(`instead of the echo of ${number} there was ${told}`);
    },
    async close() {
      await stream.close();
      await reading;
    },
  };
  await witness.isServed();
  return witness;
}
