// `npm start`: set-up, then the launcher in this same process, so that a signal to npm reaches it and nothing stands
// in between (a shell's `a && b` would die of the signal and leave b behind).
import { setUp } from './setup.mjs';

await setUp();
process.setSourceMapsEnabled(true);
await import(new URL('../dist/deploy/local/main.js', import.meta.url).href);
