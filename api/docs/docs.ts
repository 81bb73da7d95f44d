import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { route } from '../http/route.ts';

/** The OpenAPI document as a page to read and to try: Swagger UI, served from here, asking nobody else. */

/** Scripts and requests only from here, and to here; Swagger UI sets styles on elements while it runs. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  'img-src data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Farwatch API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<main id="document"></main>
<noscript>This page needs JavaScript. The document itself is <a href="/openapi.json">openapi.json</a>.</noscript>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

/** No validator: it is another's service, and would be told of this one. */
const START = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#document',
  validatorUrl: null,
  deepLinking: true,
  defaultModelsExpandDepth: 0,
});
`;

const CACHE_CONTROL = 'public, max-age=3600';
const JAVASCRIPT = { mediaType: 'text/javascript' };

export const docsRoutes = [
  route({
    method: 'GET',
    path: '/docs',
    summary: 'This document as a page',
    access: 'public',
    cacheControl: CACHE_CONTROL,
    text: { mediaType: 'text/html', contentSecurityPolicy: PAGE_POLICY },
    response: z.string(),
    handler: async () => PAGE,
  }),
  route({
    method: 'GET',
    path: '/docs/start.js',
    summary: 'What starts the page',
    access: 'public',
    cacheControl: CACHE_CONTROL,
    text: JAVASCRIPT,
    response: z.string(),
    handler: async () => START,
  }),
  libraryRoute({
    path: '/docs/swagger-ui-bundle.js',
    summary: 'What runs the page',
    file: import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js'),
    text: JAVASCRIPT,
  }),
  libraryRoute({
    path: '/docs/swagger-ui.css',
    summary: 'How the page looks',
    file: import.meta.resolve('swagger-ui-dist/swagger-ui.css'),
    text: { mediaType: 'text/css' },
  }),
];

interface LibraryFile {
  path: string;
  summary: string;
  /** Its address. */
  file: string;
  text: { mediaType: string };
}

/** A file of the library, read when it is first asked for. */
function libraryRoute({ file, ...spec }: LibraryFile) {
  let content: Promise<string> | undefined;
  return route({
    ...spec,
    method: 'GET',
    access: 'public',
    cacheControl: CACHE_CONTROL,
    response: z.string(),
    handler: () => (content ??= readFile(fileURLToPath(file), 'utf8')),
  });
}
