/**
 * The native part of libsql in the single executable, which has no packages to load it from. The build puts this module in the place of
 * the one with which libsql looks for a native part of its own.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { getAsset } from 'node:sea';

/** The name of the native part among the assets of the executable. */
export const nativePart = 'libsql.node';

/** The folder in which the native part is unpacked. */
let folder = tmpdir();

/** Has the native part unpacked beside the file of a database, since that is where the server may write. */
export function unpackBeside(location: string): void {
  folder = location === ':memory:' ? tmpdir() : dirname(location);
}

/** Unpacks the native part into a new folder that only this user can write to, loads it, and removes it again. */
export function load(): unknown {
  let unpacked: string | undefined;
  try {
    unpacked = mkdtempSync(join(folder, 'assay-native-'));
    const file = join(unpacked, nativePart);
    writeFileSync(file, new Uint8Array(getAsset(nativePart)), { mode: 0o700 });
    const loaded: { exports: unknown } = { exports: {} };
    process.dlopen(loaded, file);
    return loaded.exports;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `The part of the database that is machine code cannot be loaded from ${folder}: ${reason}. ` +
        'This user must be able to write to that folder, and programs must be able to run from it. Choose another folder for the data, ' +
        'or for a database in memory another TMPDIR.',
      { cause: error },
    );
  } finally {
    if (unpacked !== undefined) rmSync(unpacked, { recursive: true });
  }
}

/** Part of what libsql asks for; only the other way to a native part needs it. */
export function currentTarget(): string {
  return '';
}
