import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** The permissions of a folder that only its owner may read. */
export const ownerOnly = 0o700;

/**
 * Makes a folder, and the folders above it, unless they exist. `mode` holds for all folders that it makes. It makes one folder at a time, because `mkdirSync` with `recursive`
 * never returns where the system refuses a folder whose parent exists with ENOENT, as in /proc. Throws an error that says why not.
 */
export function makeFolder(path: string, mode = 0o777): void {
  const there = statSync(path, { throwIfNoEntry: false });
  if (there?.isDirectory()) return;
  if (there) throw new Error(`${path} is a file`);
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process may have made it in the meantime.
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}
