import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { builtCommand } from '../cli/testing/assay.ts';
import { listen } from '../tests/support/loopback.ts';
import { type HostileTarget, serverOf } from './targets.ts';

/** How a run against a hostile target ended. */
export interface AttackOutcome {
  /** The exit code; `null`: a signal ended the process. */
  code: number | null;
  /** The largest resident memory that was seen, in MiB. */
  memory: number;
  seconds: number;
  stderr: string;
}

/** The heap of the runner under attack, in MiB. */
const heap = 256;

/** Runs the built command with little memory against a hostile target. */
export async function attackRun(target: HostileTarget, flags: readonly string[]): Promise<AttackOutcome> {
  const { port, close } = await listen(serverOf(target));
  const started = performance.now();
  const args = [
    `--max-old-space-size=${heap}`,
    builtCommand,
    'run',
    '--config',
    '/dev/null',
    '--target',
    `http://127.0.0.1:${port}`,
  ];
  const env = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('ASSAY_'))),
    ...{ ASSAY_MERCHANT_ID: 'M-1', ASSAY_API_KEY: 'ak-attack-7f3a9d', ASSAY_API_SECRET: 'sk-attack-81c2e4' },
  };
  const child = spawn(process.execPath, [...args, ...flags], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let [memory, stderr] = [0, ''];
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = `${stderr}${text}`.slice(-100_000);
  });
  const timer = setInterval(() => {
    memory = Math.max(memory, residentMemory(child.pid));
  }, 50);
  const code = await new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  clearInterval(timer);
  await close();
  return { code, memory, seconds: (performance.now() - started) / 1000, stderr };
}

/** The largest resident memory of a process so far, in MiB. Where the system does not say it, 0. */
function residentMemory(pid: number | undefined): number {
  try {
    const [, kibibytes = '0'] = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kibibytes) / 1024;
  } catch {
    return 0;
  }
}
