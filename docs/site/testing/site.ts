import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rootFolder, siteFolder } from '../folders.ts';

/** Builds the site as `npm run docs:build` does. */
export async function buildSite(): Promise<void> {
  const { NODE_ENV: _, VITEST: __, ...env } = process.env;
  const tsx = join(rootFolder, 'node_modules/tsx/dist/cli.mjs');
  await promisify(execFile)(process.execPath, [tsx, 'docs/site/build/build.ts'], { cwd: rootFolder, env });
}

/** The files of the finished site whose names have this ending, as paths below its folder. */
export function siteFiles(ending: string): string[] {
  const entries = readdirSync(siteFolder, { recursive: true, encoding: 'utf8' });
  return entries.filter((path) => path.endsWith(ending)).sort();
}

export function siteFile(path: string): string {
  return readFileSync(join(siteFolder, path), 'utf8');
}

/** The clean address of a page's file. */
export function addressOf(file: string): string {
  return `/${file.replace(/(^|\/)index\.html$/, '$1').replace(/\.html$/, '')}`;
}
