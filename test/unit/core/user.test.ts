import { describe, expect, it } from 'vitest';
import { emailAddress, newPassword, passwordLink, personName } from '../../../core/user.ts';

describe('a password', () => {
  it.each(['Correct horse 1', 'Aa345678', 'ÄÖü45678', 'A1b😀😀😀', `${'x'.repeat(250)}A1`])('may be %j', (text) => {
    expect(newPassword.safeParse(text).success).toBe(true);
  });

  it.each(['', 'Aa34567', 'aa345678', 'AA345678', 'Aabcdefgh', `${'x'.repeat(255)}A1`, null, 12345678])(
    'may not be %j',
    (text) => {
      expect(newPassword.safeParse(text).success).toBe(false);
    },
  );
});

describe('an email', () => {
  it('is known in lowercase and without blanks around it', () => {
    expect(emailAddress.parse('  Ada.L+x@Example.COM ')).toBe('ada.l+x@example.com');
  });

  it.each(['', 'ada', 'ada@', '@example.com', 'ada@example', 'a b@example.com', `${'a'.repeat(250)}@example.com`, 7])(
    'may not be %j',
    (text) => {
      expect(emailAddress.safeParse(text).success).toBe(false);
    },
  );
});

it('is nobody whose name is blank or cannot be stored', () => {
  for (const name of ['', '  ', 'a\0b', '\ud800', 'x'.repeat(256), null])
    expect(personName.safeParse(name).success).toBe(false);
  expect(personName.parse(' Ada ')).toBe('Ada');
});

it('gets a link that shows its token to no server', () => {
  expect(passwordLink(null, 'abc')).toBe('/manage/password#abc');
  expect(passwordLink('https://status.example/', 'abc')).toBe('https://status.example/manage/password#abc');
});
