import { isIP } from 'node:net';
import { z } from 'zod';
import { decodeInvitation, type Invitation } from '../core/invitation.ts';
import { natsAddress } from '../proto/nats-address.ts';
import { listenAddress, type ListenAddress } from '../runtime/listen-address.ts';
import { LOG_LEVELS } from '../runtime/logger.ts';
import { ADDRESS_CLASSES, classifyAddress, DEFAULT_ALLOW, type AddressClass } from './policy.ts';

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

/** Addresses, not names: a resolver that is away must not take them along. */
const references = z.string().transform((text, context): ListenAddress[] => {
  const parts = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const read = parts.flatMap((part) => listenAddress.safeParse(part).data ?? []);
  const isFar = ({ host, port }: ListenAddress): boolean =>
    isIP(host) !== 0 && port > 0 && classifyAddress(host) !== 'loopback';
  if (read.length === parts.length && read.every(isFar)) return read;
  context.addIssue({ code: 'custom', message: 'must be a comma-separated list of address:port, beyond this host' });
  return z.NEVER;
});

const invitation = z.string().transform((text, context): Invitation => {
  const read = decodeInvitation(text);
  if (read !== null) return read;
  context.addIssue({ code: 'custom', message: 'must be an invitation, as `farwatch agents invite` prints it' });
  return z.NEVER;
});

const place = {
  FARWATCH_STATE_DIR: z.string().min(1),
  /** Who the agent is; in its state folder by default. */
  FARWATCH_IDENTITY_FILE: z.string().optional(),
};

/** The environment of `enrol`. */
export const enrolConfig = z.object(place);

/** The environment of an agent. */
export const agentConfig = z
  .object({
    ...place,
    /** How to become an agent, where the agent has no identity yet. */
    FARWATCH_INVITATION: invitation.optional(),
    FARWATCH_INVITATION_FILE: z.string().optional(),
    /** Other ways to collectors and to NATS than those it was told when it was enrolled. */
    COLLECTOR_ADDRESS: listenAddress.optional(),
    NATS_URL: natsAddress.optional(),
    FARWATCH_ALLOW: addressClasses.default([...DEFAULT_ALLOW]),
    /** Hosts that always accept connections: only while one does is the silence of a target the target's fault. */
    FARWATCH_REFERENCES: references.default([]),
    FARWATCH_SPOOL_MIB: z.coerce.number().min(1).default(1024),
    LOG_LEVEL: z.enum(LOG_LEVELS).default('info'),
    HEALTH_LISTEN: listenAddress.optional(),
  })
  .transform(({ FARWATCH_SPOOL_MIB, ...config }) => ({ ...config, spoolBytes: FARWATCH_SPOOL_MIB * MIB }));
