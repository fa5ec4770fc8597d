import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { operations } from './contract.ts';
import { expandDirectives } from './markers.ts';
import { docsFolder, pagesFolder, rootFolder } from '../folders.ts';
import { generatedParts } from './parts/index.ts';
import { operationPage } from './operation-pages.ts';
import { buildReferences } from '../build/reference.ts';
import { expandSnippets } from './snippets.ts';

/** Folders of `docs/` that have no pages in them. */
const withoutPages = new Set(['.vitepress', 'decisions', 'data', 'public', 'samples', 'tools', 'calculator']);

/** Makes all pages anew. VitePress then reads plain Markdown, and so do the search index and the Markdown versions. */
export async function assemble(): Promise<void> {
  rmSync(pagesFolder, { recursive: true, force: true });
  await Promise.all([...pageFiles('').map(assemblePage), ...operations.map(assembleOperation)]);
  if (existsSync(join(docsFolder, 'public'))) {
    cpSync(join(docsFolder, 'public'), join(pagesFolder, 'public'), { recursive: true });
  }
  write('public/openapi.json', readFileSync(join(rootFolder, 'generated/openapi.json'), 'utf8'));
  for (const [name, html] of await buildReferences()) write(`public/${name}`, html);
}

/** The hand-written pages, as paths below `docs/`. */
export function pageFiles(folder: string): string[] {
  return readdirSync(join(docsFolder, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return withoutPages.has(path) ? [] : pageFiles(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });
}

/** Makes one page from what is written by hand. Throws `DirectiveError` for what it cannot follow. */
export async function assemblePage(path: string): Promise<void> {
  const written = readFileSync(join(docsFolder, path), 'utf8');
  const expanded = await expandDirectives(written, `docs/${path}`, generatedParts);
  write(path, staysOutside(expandSnippets(expanded, `docs/${path}`, docsFolder)));
}

async function assembleOperation(operation: (typeof operations)[number]): Promise<void> {
  write(`operations/${operation.id}.md`, staysOutside(operationPage(operation)));
}

/** Links to files that are no pages of VitePress, which would otherwise take them for its own. */
function staysOutside(markdown: string): string {
  return markdown.replace(/(\]\(\/[\w-]+\.(?:html|json|txt|md)(?:#[^)\s]*)?\))(?!\{)/g, '$1{target="_self"}');
}

function write(path: string, content: string): void {
  const file = join(pagesFolder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}
