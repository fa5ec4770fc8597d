import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** Tells a process of `assay serve` that a supervisor has started it. */
const mark = 'ASSAY_SUPERVISED';

/** The line that a server prints once it accepts requests. */
interface Greeting {
  url: string;
  controlToken?: string;
}

/** True in a process that `supervise` has started. */
export const isSupervised = (): boolean => process.connected === true && process.env[mark] === '1';

/** Ends this process as a power cut would: nothing is written any more. */
export const endWithoutWarning = (): void => {
  process.kill(process.pid, 'SIGKILL');
};

/** Ends this process, which `supervise` has started, when its supervisor is gone. */
export function endWithSupervisor(): void {
  process.once('disconnect', () => process.exit());
  // The listener alone would keep a server from ending that has nothing more to do.
  process.channel?.unref();
}

/**
 * Runs this command in a process of its own, and starts that again with the same port and token whenever it is killed. The first line
 * that it prints is printed once. Its orderly end, or a failure, ends this process too, with the same exit code.
 */
export function supervise(): void {
  let server: ChildProcess | undefined;
  let greeted: Greeting | undefined;
  let isEnding = false;

  function start(): void {
    const child = spawn(process.execPath, [...process.execArgv, ...process.argv.slice(1), ...samePort(greeted)], {
      // The terminal's signals reach this process alone, which passes them on.
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      env: { ...process.env, [mark]: '1', ...sameToken(greeted) },
    });
    server = child;
    const greet = (line: string) => {
      if (!greeted) process.stdout.write(`${line}\n`);
      greeted = JSON.parse(line);
    };
    if (child.stdout) createInterface({ input: child.stdout }).once('line', greet);
    child.once('exit', (code, signal) => {
      if (signal === 'SIGKILL' && greeted && !isEnding) start();
      else process.exitCode = code ?? 1;
    });
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      isEnding = true;
      server?.kill(signal);
    });
  }
  start();
}

/** The flags with which a server listens where the one before it did. The last flag of a name counts. */
function samePort(greeted: Greeting | undefined): string[] {
  return greeted ? ['--port', new URL(greeted.url).port] : [];
}

/** The environment in which a server has the control token of the one before it, which may have been a random one. */
function sameToken(greeted: Greeting | undefined): Record<string, string> {
  return greeted?.controlToken === undefined ? {} : { ASSAY_CONTROL_TOKEN: greeted.controlToken };
}
