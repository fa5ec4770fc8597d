import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { pagesFolder } from '../folders.ts';
import { operations } from './contract.ts';
import { fillParts } from './markers.ts';
import { operationPage } from './operation-pages.ts';
import { parts } from './parts/index.ts';
import { diagramFiles } from './state-diagram.ts';

/**
 * Every file of `docs/pages/` with the text that it must have: the pages and diagrams that are generated as a whole, and
 * the pages written by hand with their generated parts brought up to date. Paths are relative to `docs/pages/`. Throws
 * `MarkerError` for a marker that cannot be followed.
 */
export function upToDatePages(): Map<string, string> {
  const generated = new Map([
    ...operations.map((operation): [string, string] => {
      const path = `operations/${operation.id}.md`;
      return [path, `${relativeLinks(operationPage(operation), path)}\n`];
    }),
    ...diagramFiles(),
  ]);
  const handWritten = readdirSync(pagesFolder, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.md') && !generated.has(path));
  return new Map([...generated, ...handWritten.map((path): [string, string] => [path, filled(path)])]);
}

function filled(path: string): string {
  const written = readFileSync(join(pagesFolder, path), 'utf8');
  return fillParts(written, `docs/pages/${path}`, parts, (markdown) => relativeLinks(markdown, path));
}

/** Markdown whose links to addresses of the site (`/states#refunds`) lead to files (`states.md#refunds`) from `page`. */
export function relativeLinks(markdown: string, page: string): string {
  return markdown.replace(/(?<=\]\()(\/[^\s)#]*)/g, (address) => {
    if (/\.\w+$/.test(address)) return address;
    const file = `${address.slice(1)}${address.endsWith('/') ? 'index' : ''}.md`;
    return posix.relative(posix.dirname(page), file);
  });
}
