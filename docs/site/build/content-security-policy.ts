import { createHash } from 'node:crypto';

/** The style that VitePress adds to a page for a moment when the reader changes the colours. */
const withoutTransitions =
  '*,*::before,*::after{-webkit-transition:none!important;-moz-transition:none!important;-o-transition:none!important;-ms-transition:none!important;transition:none!important}';

/** A page may load files of its own site only. */
const pageSources = {
  'default-src': "'self'",
  'style-src': `'self' ${hashOf(withoutTransitions)}`,
  // Code is coloured by style attributes.
  'style-src-attr': "'unsafe-inline'",
  'img-src': "'self' data:",
  'object-src': "'none'",
  'base-uri': "'none'",
  'form-action': "'none'",
};

/** A reference is one file that contains everything it needs, so it may load nothing. */
const fileSources = {
  'default-src': "'none'",
  'style-src': "'unsafe-inline'",
  'img-src': 'data:',
  'font-src': 'data:',
  'worker-src': 'blob:',
  'base-uri': "'none'",
  'form-action': "'none'",
};

/** Adds a policy to the head of a page. It permits scripts of the site, and the page's inline scripts by their hashes. */
export function restrictPage(html: string): string {
  return withPolicy(html, { ...pageSources, 'script-src': ["'self'", ...inlineScripts(html)].join(' ') });
}

/** Adds a policy to the head of a file that stands alone. It permits the file's inline scripts by their hashes. */
export function restrictFile(html: string): string {
  return withPolicy(html, { ...fileSources, 'script-src': inlineScripts(html).join(' ') });
}

function withPolicy(html: string, sources: Readonly<Record<string, string>>): string {
  const policy = Object.entries(sources).map(([name, value]) => `${name} ${value}`);
  const meta = `<meta http-equiv="Content-Security-Policy" content="${policy.join('; ')}">`;
  const after = /<meta charset="[^"]*"\s*\/?>/.exec(html)?.[0];
  if (after === undefined) throw new Error('the page has no <meta charset>, after which the policy must stand');
  return html.replace(after, () => `${after}${meta}`);
}

function inlineScripts(html: string): string[] {
  const bodies = [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)].map(([, body = '']) => body);
  return [...new Set(bodies)].map(hashOf);
}

function hashOf(body: string): string {
  return `'sha256-${createHash('sha256').update(body).digest('base64')}'`;
}
