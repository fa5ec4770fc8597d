import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * Compiles the command line into a new temporary folder, so that processes start fast and from the sources as they are
 * now. Returns the folder, which the caller deletes, and the path of the compiled `assay`.
 */
export async function compileAssay(): Promise<{ folder: string; assay: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-compiled-'));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  await cp(join(root, 'package.json'), join(folder, 'package.json'));
  const configuration = {
    extends: join(root, 'tsconfig.json'),
    // Types are checked elsewhere; here they would only take time.
    compilerOptions: { noCheck: true, declaration: false, rootDir: root, outDir: join(folder, 'dist') },
    include: [],
    files: [join(root, 'conformance/cli/main.ts')],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(configuration));
  const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  await promisify(execFile)(process.execPath, [compiler, '-p', folder]).catch((error: { stdout?: string }) => {
    throw new Error(`the command line does not compile:\n${error.stdout}`);
  });
  return { folder, assay: join(folder, 'dist/conformance/cli/main.js') };
}

/** A process of `assay serve`. */
export type InstanceProcess = ReturnType<typeof spawnInstance>;

/** Starts `assay serve` on a free port. `kill` works at any moment, `ready` resolves with its address once it answers. */
export function spawnInstance(assay: string, flags: readonly string[]) {
  const child = spawn(process.execPath, [assay, 'serve', '--port', '0', ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('ASSAY_'))),
  });
  const output: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => output.push(text));
  const closed = once(child, 'close');
  const line = once(createInterface({ input: child.stdout }), 'line').then(([text]) => {
    const greeting: { url: string } = JSON.parse(String(text));
    return greeting.url;
  });
  // Nobody may be waiting for it when it is killed.
  line.catch(() => {});
  const failed = closed.then(() => {
    throw new Error(`assay serve ended before it answered:\n${output.join('')}`);
  });
  failed.catch(() => {});
  return {
    /** What it has logged. */
    output,
    ready: () => Promise.race([line, failed]),
    /** Kills it, as a power cut would; resolves when it is gone. */
    async kill(): Promise<void> {
      child.kill('SIGKILL');
      await closed;
    },
  };
}
