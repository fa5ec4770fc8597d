import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** What a command printed and how it ended. */
export interface CommandOutcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

const main = fileURLToPath(new URL('../main.ts', import.meta.url));

/** Starts `assay` from its sources, as a process of its own. The environment is this one's, without what steers assay. */
export function assayProcess(args: readonly string[], environment: Record<string, string> = {}) {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('ASSAY_'));
  const env = { ...Object.fromEntries(inherited), ...environment };
  return spawn(process.execPath, ['--import', import.meta.resolve('tsx'), main, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Runs `assay` to its end. */
export function assay(args: readonly string[], environment: Record<string, string> = {}): Promise<CommandOutcome> {
  const child = assayProcess(args, environment);
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
