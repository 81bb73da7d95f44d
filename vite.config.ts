import { defineConfig } from 'vite';

/** What browsers load: one entry, files named by their content, and a list that the server finds them by. */
export default defineConfig({
  root: 'web',
  base: '/assets/',
  publicDir: 'public',
  logLevel: 'warn',
  build: {
    manifest: 'manifest.json',
    assetsDir: '.',
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    rollupOptions: { input: { site: 'web/client/main.ts', manage: 'web/manage/main.tsx' } },
  },
});
