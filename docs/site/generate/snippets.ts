import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { DirectiveError } from './markers.ts';
import { fence } from './markdown.ts';

const include = /^<<< @\/([^\s#{[]+)(?:#([\w-]+))?(?:\s*\{([^}]*)\})?(?:\s*(\[[^\]]+\]))?\s*$/;
const marker = /^\s*(?:\/\/|#|--|<!--)\s*#?(end)?region\b\s*([\w-]*)/;
const languages: Readonly<Record<string, string>> = { '.mjs': 'js', '.cjs': 'js', '.py': 'python', '.yml': 'yaml' };

/**
 * Replaces each line `<<< @/file#region {language} [title]` by the file's text, or the region's, in a block of code. The
 * file is found from `folder`. Throws `DirectiveError` where there is no such file or region.
 */
export function expandSnippets(markdown: string, file: string, folder: string): string {
  return markdown
    .split('\n')
    .map((line, index) => {
      if (!line.startsWith('<<<')) return line;
      const [whole, path = '', region, info, title] = include.exec(line) ?? [];
      if (whole === undefined)
        throw new DirectiveError(file, index + 1, 'an include reads <<< @/file#region {language} [title]');
      const body = snippet(join(folder, path), region);
      if (body === undefined)
        throw new DirectiveError(file, index + 1, `there is no ${path}${region ? `#${region}` : ''}`);
      const language = info?.trim() || languages[extname(path)] || extname(path).slice(1);
      return fence(title ? `${language} ${title}` : language, body);
    })
    .join('\n');
}

/** A file's text, or the part between the marks of a region, without the marks and the indentation all its lines share. */
export function snippet(path: string, region?: string): string | undefined {
  let lines: string[];
  try {
    lines = readFileSync(path, 'utf8').replace(/\n$/, '').split('\n');
  } catch {
    return undefined;
  }
  if (region === undefined) return lines.filter((line) => !marker.test(line)).join('\n');
  const start = lines.findIndex((line) => isMark(line, region, false));
  const end = lines.findIndex((line, index) => index > start && isMark(line, region, true));
  if (start < 0 || end < 0) return undefined;
  const inside = lines.slice(start + 1, end).filter((line) => !marker.test(line));
  const indent = Math.min(...inside.filter((line) => line.trim()).map((line) => line.search(/\S/)));
  return inside.map((line) => line.slice(indent)).join('\n');
}

function isMark(line: string, region: string, ends: boolean): boolean {
  const [whole, end, name] = marker.exec(line) ?? [];
  return whole !== undefined && (end !== undefined) === ends && (name === region || (ends && name === ''));
}
