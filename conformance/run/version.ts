import { readFileSync } from 'node:fs';

/** This package's version; its package.json stands one folder up from the sources and two up from what is built of them. */
export const version: string = readVersion(['../../package.json', '../../../package.json']);

function readVersion(places: string[]): string {
  for (const place of places) {
    try {
      const { name, version } = JSON.parse(readFileSync(new URL(place, import.meta.url), 'utf8'));
      if (name === 'assay') return String(version);
    } catch {
      // The other place has it.
    }
  }
  throw new Error('package.json of assay was not found');
}
