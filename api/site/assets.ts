import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Assets } from '../../web/document.tsx';

/** The bundler's list: which file each entry became. */
const manifest = z.record(z.string(), z.object({ file: z.string(), css: z.array(z.string()).default([]) }));

const ENTRY = 'client/main.ts';

/** Where browsers find the built script and style sheet; `folder` is what the build made. Throws where it made none. */
export function readAssets(folder: string): Assets {
  const entry = manifest.parse(JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')))[ENTRY];
  const [css] = entry?.css ?? [];
  if (!entry || !css) throw new Error(`no ${ENTRY} in ${folder}: build the project first`);
  return { js: `/assets/${entry.file}`, css: `/assets/${css}` };
}
