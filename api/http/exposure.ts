import { isIP } from 'node:net';
import { z } from 'zod';

/** How the API shows itself to the world. */
export interface Exposure {
  /** Origins whose scripts may read it; none: CORS is off. */
  corsOrigins: readonly string[];
  /** Proxies whose X-Forwarded-For is believed: addresses, networks, or Express's names for some. */
  trustedProxies: readonly string[];
  /** Requests a minute of each key or user, and of each address that has none; 0: any number. */
  perCaller: number;
  perAddress: number;
}

/** Nothing is let in, and nothing counted. */
export const UNEXPOSED: Exposure = { corsOrigins: [], trustedProxies: [], perCaller: 0, perAddress: 0 };

const DEFAULT_PER_MINUTE = 6000;

/** The variables of the environment that say it. */
export const exposureVariables = {
  CORS_ORIGINS: list(isOrigin, 'must be origins between commas, each like https://status.example'),
  TRUSTED_PROXIES: list(
    isProxy,
    'must be addresses, networks (10.0.0.0/8), loopback, linklocal or uniquelocal, between commas',
  ),
  RATE_LIMIT_PER_KEY: z.coerce.number().int().min(0).default(DEFAULT_PER_MINUTE),
  RATE_LIMIT_PER_ADDRESS: z.coerce.number().int().min(0).default(DEFAULT_PER_MINUTE),
};

export function exposureOf(config: z.output<z.ZodObject<typeof exposureVariables>>): Exposure {
  return {
    corsOrigins: config.CORS_ORIGINS,
    trustedProxies: config.TRUSTED_PROXIES,
    perCaller: config.RATE_LIMIT_PER_KEY,
    perAddress: config.RATE_LIMIT_PER_ADDRESS,
  };
}

function list(fits: (item: string) => boolean, message: string) {
  return z
    .string()
    .default('')
    .transform((text) => text.split(',').map((item) => item.trim()))
    .transform((items) => items.filter((item) => item !== ''))
    .refine((items) => items.every(fits), message);
}

/** As a browser writes it: scheme, host, a port that is not the scheme's own, and nothing behind. */
function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

function isProxy(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true;
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}
