import { z } from 'zod';
import { listenAddress } from '../runtime/listen-address.ts';
import { LOG_LEVELS } from '../runtime/logger.ts';
import { ADDRESS_CLASSES, DEFAULT_ALLOW, type AddressClass } from './policy.ts';

const REGION = /^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$/;
const TOKEN = /^fwa_[0-9a-f]{64}$/;
const MIB = 1024 * 1024;

const addressClasses = z.string().transform((text, context): AddressClass[] => {
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const classes = names.flatMap((name) => ADDRESS_CLASSES.find((known) => known === name) ?? []);
  if (classes.length === names.length) return classes;
  context.addIssue({ code: 'custom', message: `must be a comma-separated list out of ${ADDRESS_CLASSES.join(', ')}` });
  return z.NEVER;
});

const token = z
  .string()
  .trim()
  .regex(TOKEN, 'must be fwa_ and 64 hexadecimal digits, as `farwatch agents create` prints it');

/** The environment of an agent. */
export const agentConfig = z
  .object({
    FARWATCH_REGION: z.string().regex(REGION, 'must be a region: lowercase letters, digits and hyphens'),
    FARWATCH_TOKEN: token.optional(),
    FARWATCH_TOKEN_FILE: z.string().optional(),
    COLLECTOR_ADDRESS: listenAddress,
    NATS_URL: z.string().min(1),
    FARWATCH_STATE_DIR: z.string().min(1),
    FARWATCH_ALLOW: addressClasses.default([...DEFAULT_ALLOW]),
    FARWATCH_SPOOL_MIB: z.coerce.number().min(1).default(1024),
    LOG_LEVEL: z.enum(LOG_LEVELS).default('info'),
    HEALTH_LISTEN: listenAddress.optional(),
  })
  .superRefine((config, context) => {
    if ((config.FARWATCH_TOKEN === undefined) === (config.FARWATCH_TOKEN_FILE === undefined))
      context.addIssue({ code: 'custom', path: ['FARWATCH_TOKEN'], message: 'set it, or FARWATCH_TOKEN_FILE' });
  })
  .transform(({ FARWATCH_SPOOL_MIB, ...config }) => ({ ...config, spoolBytes: FARWATCH_SPOOL_MIB * MIB }));

/** The content of a token file: the token, white space around it allowed. */
export function parseToken(text: string): string | null {
  return token.safeParse(text).data ?? null;
}
