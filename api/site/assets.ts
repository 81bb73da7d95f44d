import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Assets } from '../../web/view.ts';

/** The bundler's list: which file each entry became. */
const manifest = z.record(z.string(), z.object({ file: z.string(), css: z.array(z.string()).default([]) }));

/** Where the build puts them: beside the compiled program, or in the project's build for one that runs from its source. */
export function assetsFolder(): string {
  const folders = ['../../web/assets', '../../dist/web/assets'].map((path) => join(import.meta.dirname, path));
  const built = folders.find((folder) => existsSync(join(folder, 'manifest.json')));
  if (built === undefined) throw new Error('the pages have not been built: run `npm run build`');
  return built;
}

const ENTRIES = { site: 'client/main.ts', manage: 'manage/main.tsx' } as const;

/** What browsers load of the pages and of the dashboard, out of the folder that the build made. Throws without one. */
export function readAssets(folder: string): Record<keyof typeof ENTRIES, Assets> {
  const files = manifest.parse(JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')));
  return { site: assetsOf(files, ENTRIES.site), manage: assetsOf(files, ENTRIES.manage) };
}

function assetsOf(files: z.output<typeof manifest>, entry: string): Assets {
  const built = files[entry];
  const [css] = built?.css ?? [];
  if (!built || !css) throw new Error(`${entry} has not been built`);
  return { js: `/assets/${built.file}`, css: `/assets/${css}` };
}
