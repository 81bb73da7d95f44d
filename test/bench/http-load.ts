import { connect } from 'node:net';

/** What a load of requests gave. */
export interface Load {
  perSecond: number;
  p99Ms: number;
  requests: number;
}

/**
 * Sends one request after another on each of some connections, for so many milliseconds. Speaks just enough HTTP to cost
 * little: it shares the machine with what it measures. Throws where an answer has another status.
 *
 * @param requestOf the whole request of the connection of that number
 */
export async function load(
  port: number,
  { connections, ms, status }: { connections: number; ms: number; status: number },
  requestOf: (connection: number) => string,
): Promise<Load> {
  const times: number[] = [];
  const begun = performance.now();
  const until = begun + ms;
  const client = (number: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1').setNoDelay();
      const request = requestOf(number);
      let received = '';
      let sentAt = performance.now();
      socket.setEncoding('latin1').on('data', (chunk: string) => {
        received += chunk;
        if (!isWhole(received)) return;
        if (!received.startsWith(`HTTP/1.1 ${status} `)) return void socket.destroy(new Error(received.slice(0, 500)));
        const now = performance.now();
        times.push(now - sentAt);
        received = '';
        sentAt = now;
        if (now < until) socket.write(request);
        else socket.end();
      });
      socket.once('error', reject).once('close', () => resolve());
      socket.once('connect', () => socket.write(request));
    });
  await Promise.all(Array.from({ length: connections }, (_, number) => client(number)));
  const seconds = (performance.now() - begun) / 1000;
  times.sort((a, b) => a - b);
  return {
    perSecond: times.length / seconds,
    p99Ms: times[Math.floor(times.length * 0.99)] ?? NaN,
    requests: times.length,
  };
}

/** An answer has the length its headers say, or ends with the last chunk; a 304 has no body. */
function isWhole(text: string): boolean {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return false;
  if (text.startsWith('HTTP/1.1 304 ')) return true;
  const length = /\r\nContent-Length: (\d+)/i.exec(text.slice(0, end))?.[1];
  return length === undefined ? text.endsWith('\r\n0\r\n\r\n') : text.length === end + 4 + Number(length);
}
