import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { testDefinitionsKey } from '../../support/test-identity.ts';

const moduleAt = (path: string): string => JSON.stringify(new URL(`../../../${path}`, import.meta.url).href);

it('an unsigned value is refused, and the log names its place', () => {
  const script = `import { createSignedValues } from ${moduleAt('agent/signed-values.ts')};
    import { createLogger } from ${moduleAt('runtime/logger.ts')};
    const key = ${JSON.stringify(testDefinitionsKey)};
    const values = createSignedValues('definitions-eu', () => key, createLogger('agent', 'info'));
    process.exitCode = (await values.open({ key: 'm.7', revision: 3, string: () => '{}' })) === null ? 0 : 1;`;
  const { stdout, status } = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    encoding: 'utf8',
  });
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    entry: 'm.7',
    revision: 3,
    msg: expect.stringMatching(/not signed/) as string,
  });
});
