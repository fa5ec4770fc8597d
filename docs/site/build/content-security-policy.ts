import { createHash } from 'node:crypto';

/** The style that VitePress puts into a page for a moment while its colours change. */
const withoutTransitions =
  '*,*::before,*::after{-webkit-transition:none!important;-moz-transition:none!important;-o-transition:none!important;-ms-transition:none!important;transition:none!important}';

/** What a page may load: itself, and nothing from anywhere else. */
const pageSources = {
  'default-src': "'self'",
  'style-src': `'self' ${hashOf(withoutTransitions)}`,
  // The colours of code stand in style attributes.
  'style-src-attr': "'unsafe-inline'",
  'img-src': "'self' data:",
  'object-src': "'none'",
  'base-uri': "'none'",
  'form-action': "'none'",
};

/** What the one file of the reference may load: nothing. It brings all of its own. */
const fileSources = {
  'default-src': "'none'",
  'style-src': "'unsafe-inline'",
  'img-src': 'data:',
  'font-src': 'data:',
  'worker-src': 'blob:',
  'base-uri': "'none'",
  'form-action': "'none'",
};

/** The HTML with a policy in its head that permits its own inline scripts by their hashes, and those of the site. */
export function restrictPage(html: string): string {
  return withPolicy(html, { ...pageSources, 'script-src': ["'self'", ...inlineScripts(html)].join(' ') });
}

/** The HTML of a file that stands alone, with a policy that permits its own inline scripts by their hashes. */
export function restrictFile(html: string): string {
  return withPolicy(html, { ...fileSources, 'script-src': inlineScripts(html).join(' ') });
}

function withPolicy(html: string, sources: Readonly<Record<string, string>>): string {
  const policy = Object.entries(sources).map(([name, value]) => `${name} ${value}`);
  const meta = `<meta http-equiv="Content-Security-Policy" content="${policy.join('; ')}">`;
  const after = /<meta charset="[^"]*"\s*\/?>/.exec(html)?.[0];
  if (after === undefined) throw new Error('the page says no charset, after which its policy is put');
  return html.replace(after, () => `${after}${meta}`);
}

function inlineScripts(html: string): string[] {
  const bodies = [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)].map(([, body = '']) => body);
  return [...new Set(bodies)].map(hashOf);
}

function hashOf(body: string): string {
  return `'sha256-${createHash('sha256').update(body).digest('base64')}'`;
}
