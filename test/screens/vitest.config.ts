import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Run by `npm run screens`, and by nothing else: pictures are looked at, not compared. */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('../..', import.meta.url)),
    pool: 'forks',
    include: ['test/screens/pictures.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    testTimeout: 60_000,
  },
});
