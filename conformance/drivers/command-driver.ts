import { type ChildProcess, spawn } from 'node:child_process';
import { closest } from 'fastest-levenshtein';
import { isObject, parseJson } from '../contract/json.ts';
import { Inconclusive } from '../errors/outcomes.ts';
import { environmentSecrets, redact } from '../text/redact.ts';
import { checkedDriver } from './checked-driver.ts';
import { type Driver, type DriverStep, driverSteps } from './driver.ts';

/** How a program says how a step went; the step's own results stand beside it. */
interface CommandAnswer extends Record<string, unknown> {
  ok: boolean;
}

/** A program that has ended, or was ended. */
interface Ended {
  /** What was wrong with how it ended. */
  fault: string | undefined;
  stdout: string;
  stderr: string;
}

/** How much of what a program said on stderr an error repeats, in characters. */
const longestShown = 1000;

/**
 * Drives a target through a program. It is started anew for each step, by the shell, so that the command line may have
 * arguments and quotes; it reads one line of JSON, `{ "step", …arguments }`, prints one, `{ "ok": true, … }` or
 * `{ "ok": false, "refused", "message" }`, and ends with code 0 within `timeout` milliseconds. Asked for `capabilities`, it
 * answers `{ "ok": true, "capabilities": […] }`, the steps it has.
 *
 * Throws `Inconclusive` when the program does something else, with what it said on stderr.
 */
export async function commandDriver(command: string, timeout: number): Promise<Driver> {
  const secrets = new Set(environmentSecrets(process.env));

  async function call(step: string, args: object = {}): Promise<CommandAnswer> {
    const { fault, stdout, stderr } = await runProgram(command, JSON.stringify({ step, ...args }), timeout);
    const answer = fault ?? answerIn(stdout);
    if (typeof answer !== 'string') return answer;
    // Cut only after redaction: half a secret could not be recognised.
    const said = redact(stderr.trim(), secrets).slice(-longestShown);
    throw new Inconclusive(`the driver's program, asked for ${step}, ${answer}${said && `; its stderr: ${said}`}`);
  }

  const steps = capabilitiesIn(await call('capabilities'));
  return checkedDriver(steps, async (step, args) => {
    const answer = await call(step, args);
    for (const secret of [answer.apiKey, answer.apiSecret]) if (typeof secret === 'string') secrets.add(secret);
    if (answer.ok) return { ...answer, done: true };
    const message = String(answer.message ?? 'it does not say why');
    if (answer.refused === true) return { done: false, message };
    throw new Inconclusive(`the driver's ${step} failed: ${message}`);
  });
}

function capabilitiesIn({ ok, capabilities }: CommandAnswer): DriverStep[] {
  if (!ok || !Array.isArray(capabilities)) {
    throw new Inconclusive(
      `the driver's program does not say which steps it has: asked for capabilities, it must answer {"ok":true,"capabilities":[…]} with some of ${driverSteps.join(', ')}`,
    );
  }
  const unknown = capabilities.find((each) => !driverSteps.some((step) => step === each));
  if (unknown !== undefined) {
    const near = closest(String(unknown), [...driverSteps]);
    throw new Inconclusive(`the driver's program says that it has a step ${unknown}; did it mean ${near}?`);
  }
  return driverSteps.filter((step) => capabilities.includes(step));
}

/** The answer that a program printed, or what is wrong with it, in words. */
function answerIn(stdout: string): CommandAnswer | string {
  const lines = stdout.split('\n').filter((line) => line.trim() !== '');
  const [line] = lines;
  if (line === undefined) return 'printed nothing where one line of JSON is due';
  if (lines.length > 1) return `printed ${lines.length} lines where one is due; what is for people belongs on stderr`;
  const answer = parseJson(line);
  if (isObject(answer) && typeof answer.ok === 'boolean') return { ...answer, ok: answer.ok };
  return 'printed what is no JSON object with ok, true or false';
}

/** Runs a command line to its end, with one line on its stdin. */
function runProgram(command: string, line: string, timeout: number): Promise<Ended> {
  // In a process group of its own, so that what it has started ends with it.
  const grouped = process.platform !== 'win32';
  const program = spawn(command, { shell: true, detached: grouped });
  let [stdout, stderr] = ['', ''];
  program.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  program.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  // A program need not read what it is told.
  program.stdin.on('error', () => {});
  program.stdin.end(`${line}\n`);

  return new Promise((resolve) => {
    const end = (fault: string | undefined) => {
      clearTimeout(timer);
      resolve({ fault, stdout, stderr });
    };
    const timer = setTimeout(() => {
      end(`did not end in ${timeout} ms (see --timeout)`);
      kill(program, grouped);
      program.stdout.destroy();
      program.stderr.destroy();
    }, timeout);
    program.on('error', (error) => end(`could not be started: ${error.message}`));
    program.on('close', (code, signal) => {
      if (signal !== null) end(`was ended by ${signal}`);
      else end(code === 0 ? undefined : `ended with code ${code}`);
    });
  });
}

function kill({ pid }: ChildProcess, grouped: boolean): void {
  if (pid === undefined) return;
  try {
    process.kill(grouped ? -pid : pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}
