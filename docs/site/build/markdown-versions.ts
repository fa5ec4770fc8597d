import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { pagesFolder, siteFolder } from '../folders.ts';
import { sections } from './site-map.ts';

/** Writes a Markdown version beside each page, and `llms.txt` with a list of them. `pages` are the paths of their sources. */
export function writeMarkdownVersions(pages: readonly string[]): void {
  const descriptions = new Map<string, string>();
  for (const page of pages) {
    const { body, description } = split(readFileSync(join(pagesFolder, page), 'utf8'));
    if (description) descriptions.set(page, description);
    const file = join(siteFolder, page);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, plainMarkdown(body));
  }
  writeFileSync(join(siteFolder, 'llms.txt'), listing(descriptions));
}

/** The address of the Markdown version of a page. */
function markdownAddress(link: string): string {
  return link.endsWith('/') ? `${link}index.md` : `${link}.md`;
}

function split(source: string): { body: string; description?: string } {
  const [whole = '', yaml] = /^---\n([\s\S]*?)\n---\n/.exec(source) ?? [];
  const front: unknown = yaml === undefined ? {} : parse(yaml);
  const body = source.slice(whole.length);
  const named = typeof front === 'object' && front !== null && 'description' in front;
  return named ? { body, description: String(front.description) } : { body };
}

/** Markdown without comments, components, images and containers, and with summaries as bold text. */
function plainMarkdown(body: string): string {
  const fences = /(^(`{3,})[\s\S]*?^\2$)/m;
  const parts = body.split(fences);
  return parts
    .map((part, index) => {
      if (index % 3 === 1) return part;
      if (index % 3 === 2) return '';
      return part
        .replace(/ ?<!--.*?-->/g, '')
        .replace(/^<[A-Z]\w*[^>]*>\n?/gm, '')
        .replace(/^!\[.*\]\(.*\)\n?/gm, '')
        .replace(/^<\/?details.*\n?/gm, '')
        .replace(/^<summary>(.*)<\/summary>$/gm, (_, summary: string) => `**${summary.replace(/<\/?code>/g, '`')}**`)
        .replace(/^:{3,}.*\n?/gm, '')
        .replace(/\n{3,}/g, '\n\n');
    })
    .join('')
    .trimStart();
}

function listing(descriptions: ReadonlyMap<string, string>): string {
  const lines = sections.flatMap(({ text, items }) => [
    `\n## ${text}\n`,
    ...items.map((item) => {
      const file = markdownAddress(item.link);
      const description = descriptions.get(file.slice(1));
      return `- [${item.text}](${file})${description ? `: ${description}` : ''}`;
    }),
  ]);
  const head =
    '# Assay\n\n> The contract of a merchant stablecoin payment API, a reference server that lives by it, and a conformance suite for any implementation.\n\nThe contract as one document: [openapi.json](/openapi.json)';
  return `${head}\n${lines.join('\n')}\n`;
}
