import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { packageFiles, packageFolder } from '../../generated/package-file.ts';
import { nativePart } from '../../server/storage/native-part.ts';

const root = fileURLToPath(packageFolder());
const require = createRequire(import.meta.url);

/** The files of the build, in a folder of their own. Stacks of errors name the first one. */
const main = 'assay.cjs';
const blob = 'assay.blob';

/** The name under which Node looks for what is put into it, and the mark in its own file that then says that something is there. */
const resource = 'NODE_SEA_BLOB';
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/**
 * Makes the single executable for the system that this runs on: the running Node, with the command, its packages and every file that they read
 * put into it.
 */
export async function makeExecutable(file: string): Promise<void> {
  if (process.platform !== 'linux') throw new Error('the single executable is made on Linux only, and for Linux');
  const folder = mkdtempSync(join(tmpdir(), 'assay-binary-'));
  try {
    await bundle(join(folder, main));
    const own = packageFiles.map((name) => [name, join(root, name)]);
    const assets = { ...Object.fromEntries(own), [nativePart]: nativePartFile() };
    // The code cache saves a part of the start, in which Node would compile the bundle.
    const configuration = { main, output: blob, assets, disableExperimentalSEAWarning: true, useCodeCache: true };
    writeFileSync(join(folder, 'settings.json'), JSON.stringify(configuration));
    node(folder, ['--experimental-sea-config', 'settings.json']);
    mkdirSync(dirname(file), { recursive: true });
    copyFileSync(process.execPath, file);
    chmodSync(file, 0o755);
    node(folder, [require.resolve('postject/dist/cli.js'), resolve(file), resource, blob, '--sentinel-fuse', fuse]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Writes the command and all of its packages as one file, which Node 20 wants as CommonJS. */
export async function bundle(outfile: string): Promise<void> {
  await build({
    absWorkingDir: root,
    entryPoints: ['conformance/binary/entry.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    alias: {
      // libsql loads the native part by this module if the variable is set, and else by the name of a package.
      '@neon-rs/load': './server/storage/native-part.ts',
      // Its other form requires its own files in a way that esbuild cannot follow, so that they would not be in the bundle.
      'jsonc-parser': 'jsonc-parser/lib/esm/main.js',
    },
    define: { 'process.env.LIBSQL_JS_DEV': '"1"', 'import.meta.url': '"file:///"' },
    // An optional package of pg, which looks whether it is there.
    external: ['pg-native'],
    logLevel: 'warning',
  });
}

/** The file of the native part of libsql for this system. */
function nativePartFile(): string {
  return createRequire(require.resolve('libsql')).resolve(`@libsql/linux-${process.arch}-gnu`);
}

/** Runs Node in a folder to its end. What it prints is part of the error if it fails; postject also prints warnings that mean nothing. */
function node(folder: string, args: readonly string[]): void {
  execFileSync(process.execPath, args, { cwd: folder, stdio: 'pipe' });
}
