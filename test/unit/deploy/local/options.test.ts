import { isAbsolute } from 'node:path';
import { expect, test } from 'vitest';
import { parseOptions } from '../../../../deploy/local/options.ts';

test('without arguments three regions, port 3000, a demo and a data folder in the project', () => {
  const options = parseOptions([]);
  expect(options).toMatchObject({ port: 3000, regions: ['eu', 'us', 'ap'], demo: true });
  expect(options).toHaveProperty('dataDir', expect.stringMatching(/\.farwatch\/data$/));
});

test('every option is taken over, and the data folder made absolute', () => {
  const options = parseOptions(['--port', '8080', '--data', 'here', '--regions', 'eu, south-1', '--no-demo']);
  expect(options).toMatchObject({ port: 8080, regions: ['eu', 'south-1'], demo: false });
  expect('dataDir' in options && isAbsolute(options.dataDir)).toBe(true);
});

test.each([
  ['--port', '0'],
  ['--port', '65536'],
  ['--port', '3e3'],
  ['--port', '-1'],
  ['--data', ''],
  ['--regions', ''],
  ['--regions', 'eu,'],
  ['--regions', 'eu,eu'],
  ['--regions', 'EU'],
  ['--regions', '-eu'],
  ['--unknown', 'x'],
  ['stray', 'words'],
])('%s %s is a problem with a text', (...args) => {
  expect(parseOptions(args)).toEqual({ problem: expect.stringMatching(/./) as string });
});
