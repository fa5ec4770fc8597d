import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { rootFolder } from '../../folders.ts';
import { fence } from '../markdown.ts';
import type { Part } from './part.ts';

const regionComment = /^\s*(?:\/\/|#)\s*#(end)?region\b\s*([\w-]*)/;
/** Languages of code blocks by file extension, or by the name of a file that has none. Other extensions name their language. */
const languages: Readonly<Record<string, string>> = {
  '.sh': 'bash',
  '.mjs': 'js',
  '.py': 'python',
  '.yml': 'yaml',
  Dockerfile: 'dockerfile',
};

/**
 * `sample file=… [region=…] [tab=…]`: a file of the repository, or one region of it, as a block of code. The path begins
 * at the root of the repository. `tab` is the name of the block in a group of tabs.
 */
export const sample: Part = {
  options: { file: {}, region: { optional: true }, tab: { optional: true } },
  make: ({ file = '', region, tab }) => {
    const language = languages[extname(file) || file] ?? extname(file).slice(1);
    return fence(tab ? `${language} [${tab}]` : language, codeOf(file, region));
  },
};

/** The text of a file or of one region, without region comments and common indentation. Throws if either is missing. */
function codeOf(file: string, region: string | undefined): string {
  const lines = readFileSync(join(rootFolder, file), 'utf8').split('\n');
  if (region === undefined) return lines.filter((line) => !regionComment.test(line)).join('\n');
  const start = lines.findIndex((line) => isComment(line, region, 'begin'));
  const end = lines.findIndex((line, index) => index > start && isComment(line, region, 'end'));
  if (start < 0 || end < 0) throw new Error(`${file} has no region ${region}`);
  const inside = lines.slice(start + 1, end).filter((line) => !regionComment.test(line));
  const indent = Math.min(...inside.filter((line) => line.trim()).map((line) => line.search(/\S/)));
  return inside.map((line) => line.slice(indent)).join('\n');
}

function isComment(line: string, region: string, kind: 'begin' | 'end'): boolean {
  const [, end, name] = regionComment.exec(line) ?? [];
  return name === region && (end === undefined) === (kind === 'begin');
}
