import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rootFolder } from '../folders.ts';
import { restrictFile } from './content-security-policy.ts';

/** Replaces the logo that Redoc would load from another host. */
const logo =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'%3E%3Cpath fill='%23808080' d='M4 3h12l4 4v14H4zm3 7v2h10v-2zm0 4v2h10v-2z'/%3E%3C/svg%3E";

/** Builds the full references: file names and HTML. Each file loads nothing else. */
export function buildReferences(): Promise<[name: string, html: string][]> {
  return Promise.all([build('merchant', 'reference.html'), build('sandbox-control', 'sandbox-control.html')]);
}

async function build(api: string, name: string): Promise<[string, string]> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-reference-'));
  try {
    const file = join(folder, name);
    const redocly = join(rootFolder, 'node_modules/@redocly/cli/bin/cli.js');
    const env = { ...process.env, REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', REDOCLY_TELEMETRY: 'off' };
    const options = ['build-docs', api, '--inlineBundle', '--output', file];
    await promisify(execFile)(process.execPath, [redocly, ...options], { cwd: rootFolder, env });
    const html = readFileSync(file, 'utf8').replace(/https:\/\/cdn\.redoc\.ly\/redoc\/logo-mini(-full)?\.svg/g, logo);
    return [name, restrictFile(withOwnLinks(html))];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Makes links of the sidebar lead into this file, as those do that Redoc draws after a click. It renders the first ones as paths of a
 * server, where nothing is. Scripts stay as they are.
 */
function withOwnLinks(html: string): string {
  return html.replace(/<script[\s\S]*?<\/script>|(<a\s[^>]*?href=")(?=\/)/g, (whole, start?: string) =>
    start === undefined ? whole : `${start}#`,
  );
}
