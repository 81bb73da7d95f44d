import { randomFillSync } from 'node:crypto';
import { serveIcmp } from './serve.ts';

serveIcmp(randomFillSync);
