import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

const module = new URL('../../../runtime/logger.ts', import.meta.url).href;

describe('createLogger', () => {
  it('writes one JSON line with the program and keeps secrets out of it', () => {
    const script = `import { createLogger } from '${module}';
      createLogger('agent', 'info').info({ token: 's3cret', config: { password: 's3cret' }, port: 1 }, 'part listening');`;
    const { stdout } = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
      encoding: 'utf8',
    });
    expect(JSON.parse(stdout)).toMatchObject({ level: 'info', program: 'agent', port: 1, msg: 'part listening' });
    expect(stdout).not.toContain('s3cret');
  });
});
