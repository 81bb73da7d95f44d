import { expect, it } from 'vitest';
import { createPasswords } from '../../../runtime/passwords.ts';

it('hashes with argon2id, each time with another salt, and knows the password again', async () => {
  const passwords = createPasswords();
  const [first, second] = [await passwords.hash('Correct horse 1'), await passwords.hash('Correct horse 1')];
  expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(first).not.toBe(second);
  expect(await passwords.verify('Correct horse 1', first)).toBe(true);
  expect(await passwords.verify('correct horse 1', first)).toBe(false);
});

it('knows a password however its letters were composed', async () => {
  const passwords = createPasswords();
  expect(await passwords.verify('Zu\u0308rich 1', await passwords.hash('Z\u00fcrich 1'))).toBe(true);
});

it('does the same work where there is nothing to verify against', async () => {
  const passwords = createPasswords();
  const phc = await passwords.hash('Correct horse 1');
  const cpuMs = async (work: () => Promise<unknown>): Promise<number> => {
    const before = process.cpuUsage();
    for (let round = 0; round < 5; round += 1) await work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  const wrong = await cpuMs(() => passwords.verify('Wrong horse 1', phc));
  const unknown = await cpuMs(() => passwords.verify('Wrong horse 1', null));
  expect(await passwords.verify('Wrong horse 1', null)).toBe(false);
  // Memory that has to be filled: two orders of magnitude lie between that and nothing.
  expect(unknown).toBeGreaterThan(wrong / 5);
});

it('works on one password at a time, and refuses what would wait behind a full queue', async () => {
  const passwords = createPasswords(5);
  let finished = 0;
  const outcomes = Array.from({ length: 8 }, () =>
    passwords.hash('Correct horse 1').then((hash) => {
      if (hash !== null) finished += 1;
      return hash;
    }),
  );
  expect(await Promise.all(outcomes.slice(5))).toEqual([null, null, null]);
  expect(finished).toBe(0);
  await outcomes[0];
  // The others wait until the one before them is done.
  expect(finished).toBe(1);
  expect(await Promise.all(outcomes.slice(0, 5))).not.toContain(null);
  expect(await passwords.hash('Correct horse 1')).not.toBeNull();
});

it('goes on after a hash that is none', async () => {
  const passwords = createPasswords();
  await expect(passwords.verify('Correct horse 1', 'no hash')).rejects.toThrow();
  expect(await passwords.verify('Correct horse 1', await passwords.hash('Correct horse 1'))).toBe(true);
});
