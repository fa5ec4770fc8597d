import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SourceFile } from './instrument.ts';

/** The root folder of the project. */
export const rootFolder = fileURLToPath(new URL('../..', import.meta.url));

/** The folders of the reference server that are mutated: everything that decides what merchants see. */
const mutated = ['server/domain', 'server/services', 'server/views', 'server/http/areas'];

/**
 * Not mutated: the control API is the driver of the reference server, and the contract binds no drivers; nor does it bind how many
 * webhooks are sent at once and when the next are looked for, which only a busy server shows.
 */
const left = [
  'server/services/control/',
  'server/services/delivery/lanes.ts',
  'server/services/delivery/wake-on-delivery.ts',
];

/** Tests, and code that only tests and measurements use. */
const beside = /\.test\.ts$|\/(tests|testing|attack|bench|resilience)\//;

/** The TypeScript files in a folder of the project that belong to the server, in the order of their names. */
export function sourcesIn(folder: string): SourceFile[] {
  return readdirSync(join(rootFolder, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name}`)
    .filter((name) => name.endsWith('.ts') && !beside.test(name))
    .toSorted()
    .map((name) => ({ name, content: readFileSync(join(rootFolder, name), 'utf8') }));
}

/** The files that are mutated. */
export const mutatedSources = (): SourceFile[] =>
  mutated.flatMap(sourcesIn).filter(({ name }) => !left.some((place) => name.startsWith(place)));
