import { hkdfSync } from 'node:crypto';
import { encodeAccount, encodeOperator, encodeUser, type Account } from '@nats-io/jwt';
import { createUser, fromPublic, fromSeed, Prefix, type KeyPair } from '@nats-io/nkeys';
// The package's own form of a seed: its entry makes seeds only at random.
import { Codec } from '@nats-io/nkeys/lib/codec.js';

/**
 * NATS by decentralised JWT: an operator, whom the server trusts; an account for each region, which shares nothing with
 * any other; users, which an account signs. Every key follows from one secret, so that each collector has the account
 * of a region that did not exist when the secret was made.
 */
export interface NatsAuthority {
  /** For the server's configuration. */
  operatorJwt: string;
  systemAccount: NatsAccount;
  /** A region's account as the server is to know it, with the public keys of users whose every JWT is refused. */
  regionAccount(region: string, revoked: readonly string[]): Promise<NatsAccount>;
  /** Somebody who may do everything in a region's account (null: in the system's); to be kept in memory only. */
  ownUser(region: string | null): Promise<NatsUser>;
  /** A region's user with this public key, who may do only so much, until then (unix milliseconds). */
  regionUser(region: string, publicKey: string, permissions: NatsPermissions, expiresMs: number): Promise<string>;
}

export interface NatsAccount {
  publicKey: string;
  jwt: string;
}

/** By what a user logs in. */
export interface NatsUser {
  jwt: string;
  seed: Uint8Array;
}

/** Subjects. */
export interface NatsPermissions {
  publish: string[];
  subscribe: string[];
}

const OPERATOR = 'farwatch';
const SYSTEM = 'farwatch system';
/** A revocation counts for what was issued until then: for ever. */
const FOR_EVER_SECONDS = 32_503_680_000;

const UNLIMITED: Account['limits'] = {
  subs: -1,
  data: -1,
  payload: -1,
  imports: -1,
  exports: -1,
  wildcards: true,
  conn: -1,
  leaf: 0,
};
/** Each agent has one. Should anybody find a way to make more, it must not fill the server. */
const MAX_CONSUMERS = 2000;
const WITH_JETSTREAM: Account['limits'] = {
  ...UNLIMITED,
  mem_storage: -1,
  disk_storage: -1,
  streams: -1,
  consumer: MAX_CONSUMERS,
};
/** Of a region's user: it says hundreds of bytes at a time, and listens to a few subjects. */
const USER_LIMITS = { payload: 16_384, subs: 64 };

/** `secret`: 64 hexadecimal digits. */
export async function openNatsAuthority(secret: string): Promise<NatsAuthority> {
  const keyOf = (role: Prefix, name: string): KeyPair => deriveKey(secret, role, name);
  const operator = keyOf(Prefix.Operator, OPERATOR);
  const system = keyOf(Prefix.Account, SYSTEM);
  const accountOf = (region: string): KeyPair => keyOf(Prefix.Account, `region ${region}`);
  const account = async (name: string, keys: KeyPair, claims: Partial<Account>): Promise<NatsAccount> => ({
    publicKey: keys.getPublicKey(),
    jwt: await encodeAccount(name, keys, claims, { signer: operator }),
  });
  return {
    operatorJwt: await encodeOperator(OPERATOR, operator, { system_account: system.getPublicKey() }),
    systemAccount: await account(SYSTEM, system, { limits: UNLIMITED }),
    regionAccount(region, revoked) {
      const revocations = Object.fromEntries(revoked.map((user) => [user, FOR_EVER_SECONDS]));
      return account(`region ${region}`, accountOf(region), { limits: WITH_JETSTREAM, revocations });
    },
    async ownUser(region) {
      const user = createUser();
      const signer = region === null ? system : accountOf(region);
      return { jwt: await encodeUser('farwatch collector', user, signer), seed: user.getSeed() };
    },
    regionUser(region, publicKey, { publish, subscribe }, expiresMs) {
      const permissions = { pub: { allow: publish }, sub: { allow: subscribe }, ...USER_LIMITS };
      const exp = Math.floor(expiresMs / 1000);
      return encodeUser('farwatch agent', fromPublic(publicKey), accountOf(region), permissions, { exp });
    },
  };
}

/** HKDF (RFC 5869) over SHA-256; the name keeps keys of different use apart. */
function deriveKey(secret: string, role: Prefix, name: string): KeyPair {
  const seed = hkdfSync('sha256', Buffer.from(secret, 'hex'), Buffer.alloc(0), `farwatch nats ${name}`, 32);
  return fromSeed(Codec.encodeSeed(role, new Uint8Array(seed)));
}
