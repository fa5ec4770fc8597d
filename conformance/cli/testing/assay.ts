import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What a command printed and how it ended. */
export interface CommandOutcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** The command as users have it, built by `npm run build`. */
export const builtCommand = join(
  // The sources and what is built of them stand at different depths.
  fileURLToPath(new URL('../../..', import.meta.url)).replace(/[\\/]dist[\\/]?$/, ''),
  'dist/conformance/cli/main.js',
);

/** Starts `assay` as a process of its own, in `folder` or this process's. The environment is this one's, without what steers assay. */
export function assayProcess(args: readonly string[], environment: Record<string, string> = {}, folder?: string) {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('ASSAY_'));
  const env = { ...Object.fromEntries(inherited), ...environment };
  return spawn(process.execPath, [builtCommand, ...args], {
    env,
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Runs `assay` to its end, as `assayProcess` starts it. */
export function assay(
  args: readonly string[],
  environment: Record<string, string> = {},
  folder?: string,
): Promise<CommandOutcome> {
  const child = assayProcess(args, environment, folder);
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}
