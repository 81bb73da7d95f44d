import { setTimeout as wait } from 'node:timers/promises';
import { describe, it } from 'vitest';
import { openAgentStream } from '../../../proto/agent-stream.ts';
import { createCollectorServer, type CollectorServer, type CollectorStream } from '../../../proto/collector-stream.ts';
import { encodeResults } from '../../../proto/results-codec.ts';
import { StreamEnd } from '../../../proto/stream-end.ts';
import { tcpResult } from '../../support/check-results.ts';
import { startProxy } from '../../support/cuttable-proxy.ts';
import { testAgentTls, testServerTls } from '../../support/test-identity.ts';

/** Ten seconds until the ping, ten for its answer, and some for a busy machine. */
const FOUND_DEAD_MS = 30_000;
/** Longer than a dead peer is waited for. */
const STALL_MS = 32_000;
const BATCHES = 100;
const ROWS = Array.from({ length: 2000 }, (_, index) => tcpResult(index + 1));

async function listen(
  stream: (served: CollectorStream) => Promise<void>,
): Promise<{ server: CollectorServer; address: string }> {
  const unasked = (): Promise<never> => Promise.reject(new StreamEnd('UNIMPLEMENTED', 'not here'));
  const onFault = (error: unknown): void => {
    throw error;
  };
  const server = createCollectorServer({ stream, renew: unasked, enrol: unasked, onFault });
  return { server, address: `127.0.0.1:${await server.listen({ host: '127.0.0.1', port: 0 }, testServerTls)}` };
}

// Each mostly waits, so they do it side by side.
describe.concurrent('a stream', () => {
  it(
    'lasts while its reader stands for longer than a dead one is waited for',
    { timeout: 120_000 },
    async ({ expect }) => {
      let read = 0;
      const { server, address } = await listen(async ({ messages }) => {
        await wait(STALL_MS);
        for await (const message of messages) {
          if (message.body === 'leave') return;
          if (message.body === 'results') read += 1;
        }
      });
      const stream = openAgentStream({ address, tls: testAgentTls });
      const ended = (async () => {
        for await (const message of stream.messages) void message;
      })();
      for (let batch = 1; batch <= BATCHES; batch += 1)
        await stream.send({ body: 'results', results: encodeResults(batch, 'epoch-1', ROWS) });
      await stream.send({ body: 'leave', leave: {} });
      await expect(ended).resolves.toBeUndefined();
      expect(read).toBe(BATCHES);
      await stream.close();
      await server.close(0);
    },
  );

  it(
    'ends on both sides when nothing comes through any more, and holds up no end of the server',
    { timeout: 120_000 },
    async ({ expect }) => {
      let over: Promise<void> | undefined;
      const { server, address } = await listen(async (served) => {
        over = new Promise((resolve) => served.over.addEventListener('abort', () => resolve()));
        for await (const message of served.messages) void message;
      });
      const proxy = await startProxy(`tcp://${address}`);
      const stream = openAgentStream({ address: new URL(proxy.url).host, tls: testAgentTls });
      await stream.send({ body: 'results', results: encodeResults(1, 'epoch-1', ROWS) });
      const failed = (async () => {
        for await (const message of stream.messages) void message;
      })().catch((error: unknown) => error);
      while (over === undefined) await wait(20);
      proxy.freeze();
      const frozenMs = performance.now();
      expect(await failed).toMatchObject({ code: 'UNAVAILABLE' });
      await over;
      expect(performance.now() - frozenMs).toBeLessThan(FOUND_DEAD_MS);
      await stream.close();
      await server.close(0);
      await proxy.close();
    },
  );
});
