import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ConfigError, parseConfig } from '../../../runtime/config.ts';
import { formatAddress, listenAddress } from '../../../runtime/listen-address.ts';

const schema = z.object({ URL: z.string(), COUNT: z.coerce.number().int().default(3), LISTEN: listenAddress });

describe('parseConfig', () => {
  it('reads values and defaults, and counts an empty variable as unset', () => {
    expect(parseConfig(schema, { URL: 'x', COUNT: '', LISTEN: '127.0.0.1:0' })).toEqual({
      URL: 'x',
      COUNT: 3,
      LISTEN: { host: '127.0.0.1', port: 0 },
    });
  });

  it('names every fault and shows no value', () => {
    const read = (): unknown => parseConfig(schema, { COUNT: 's3cret', LISTEN: 's3cret' });
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(/URL: .*COUNT: .*LISTEN: must be host:port/);
    expect(read).not.toThrow(/s3cret/);
  });
});

describe('listenAddress', () => {
  it.each([
    ['127.0.0.1:3000', { host: '127.0.0.1', port: 3000 }],
    ['[::1]:0', { host: '::1', port: 0 }],
    ['localhost:65535', { host: 'localhost', port: 65_535 }],
  ])('reads %s and writes it back', (text, address) => {
    expect(listenAddress.parse(text)).toEqual(address);
    expect(formatAddress(address)).toBe(text);
  });

  it.each(['3000', ':3000', 'a:b', 'localhost:65536', '::1:80', '[::1]'])('refuses %s', (text) => {
    expect(listenAddress.safeParse(text).success).toBe(false);
  });
});
