import type { Response } from 'express';

/** Everything a page loads comes from this host; nothing runs that is not in a file of ours. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  // Logos and monitors' images stand wherever their owners keep them.
  'img-src https: http: data:',
  "form-action 'self'",
  "base-uri 'none'",
].join('; ');
/** The dashboard shows a page in a frame; what is made for other people's frames says so. */
const FRAMED_BY_US = "; frame-ancestors 'self'";
const FRAMED_BY_ALL = '; frame-ancestors *';

/** What an answer depends on besides its address; of what is missing, programs are told otherwise than people. */
const VARY = 'Accept, Accept-Encoding, Accept-Language, Cookie';

/**
 * How long others may keep an answer. Shared caches take the rush on what everybody finds alike, for seconds; a browser
 * asks each time, and mostly hears that nothing has changed. What was made for one visitor is his.
 */
const CACHE_CONTROL = {
  shared: 'public, max-age=0, s-maxage=10',
  personal: 'private, no-cache',
  failed: 'no-store',
} as const;

/** Sets what goes with every page, whatever is in it. */
export function prepare(response: Response, keptBy: keyof typeof CACHE_CONTROL): void {
  const isEmbed = response.req.path.startsWith('/embed/');
  // What the policy says of frames counts before it where it is understood, which is everywhere by now.
  response.removeHeader('X-Frame-Options');
  response
    .setHeader('Content-Security-Policy', CONTENT_SECURITY_POLICY + (isEmbed ? FRAMED_BY_ALL : FRAMED_BY_US))
    .setHeader('Cache-Control', CACHE_CONTROL[keptBy])
    .setHeader('Vary', VARY);
}
