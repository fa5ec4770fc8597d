import { readFileSync } from 'node:fs';

/** The version of this package. The sources and the built files have different ways to its package.json. */
export const version: string = readVersion(['../../package.json', '../../../package.json']);

function readVersion(places: string[]): string {
  for (const place of places) {
    try {
      const { name, version } = JSON.parse(readFileSync(new URL(place, import.meta.url), 'utf8'));
      if (name === '@assay-conformance/assay') return String(version);
    } catch {
      // Not there: the next place is tried.
    }
  }
  throw new Error('package.json of assay was not found');
}
