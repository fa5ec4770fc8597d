import { type ChildProcess, spawn } from 'node:child_process';
import { isObject, parseJson } from '../contract/json.ts';
import { Inconclusive } from '../errors/outcomes.ts';
import { didYouMeanOneOf } from '../text/did-you-mean.ts';
import { environmentSecrets, redact } from '../text/redact.ts';
import { checkedDriver } from './checked-driver.ts';
import { type Driver, type DriverStep, driverSteps } from './driver.ts';
import { programOf } from './program-name.ts';

/** The answer of a program to a step. The results of the step stand beside `ok`. */
interface CommandAnswer extends Record<string, unknown> {
  ok: boolean;
}

/** The end of a program. */
interface Ended {
  /** Why the program did not end well. `undefined`: it ended with code 0. */
  fault: string | undefined;
  stdout: string;
  stderr: string;
}

/** The programs that run now. They end with this process. */
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const program of running) kill(program);
});

/** How much a program may print to stdout, and to stderr, in characters. Anything beyond is dropped. */
const longestOutput = 256 * 1024;

/** How much of a program's stderr an error repeats, in characters. */
const longestShown = 1000;

/**
 * Drives a target through a program. The shell starts the program anew for each step, so the command line may have arguments
 * and quotes. The program reads one line of JSON, `{ "step", …arguments }`, and prints one line, `{ "ok": true, … }` or
 * `{ "ok": false, "refused", "message" }`. It ends with code 0 within `timeout` milliseconds. To the step `capabilities` it
 * answers with its steps: `{ "ok": true, "capabilities": […] }`.
 *
 * Throws `Inconclusive`, with the stderr of the program, when the program does anything else.
 */
export async function commandDriver(command: string, timeout: number): Promise<Driver> {
  const secrets = new Set(environmentSecrets(process.env));

  async function call(step: string, args: object = {}): Promise<CommandAnswer> {
    const { fault, stdout, stderr } = await runProgram(command, JSON.stringify({ step, ...args }), timeout);
    const answer = fault ?? answerIn(stdout);
    if (typeof answer !== 'string') return answer;
    // The text is cut after redaction, because half a secret would not be recognised.
    // A shell may repeat the command line.
    const program = programOf(command);
    const said = redact(stderr.trim().replaceAll(command, program), secrets).slice(-longestShown);
    throw new Inconclusive(`the driver's program, at the step ${step}, ${answer}${said && `; its stderr: ${said}`}`);
  }

  const steps = capabilitiesIn(await call('capabilities'));
  return checkedDriver(steps, async (step, args) => {
    const answer = await call(step, args);
    for (const secret of [answer.apiKey, answer.apiSecret]) if (typeof secret === 'string') secrets.add(secret);
    if (answer.ok) return { ...answer, done: true };
    const message = String(answer.message ?? 'the driver does not say why');
    if (answer.refused === true) return { done: false, message };
    throw new Inconclusive(`the driver's ${step} failed: ${message}`);
  });
}

function capabilitiesIn({ ok, capabilities }: CommandAnswer): DriverStep[] {
  if (!ok || !Array.isArray(capabilities)) {
    throw new Inconclusive(
      `the driver's program does not name its steps: to the step capabilities it must answer {"ok":true,"capabilities":[…]} with some of ${driverSteps.join(', ')}`,
    );
  }
  const unknown = capabilities.find((each) => !driverSteps.some((step) => step === each));
  if (unknown !== undefined) {
    const instead = didYouMeanOneOf(String(unknown), driverSteps);
    throw new Inconclusive(`the driver's program names an unknown step ${unknown}${instead}`);
  }
  return driverSteps.filter((step) => capabilities.includes(step));
}

/** The answer that a program printed, or its fault in words. */
function answerIn(stdout: string): CommandAnswer | string {
  const lines = stdout.split('\n').filter((line) => line.trim() !== '');
  const [line] = lines;
  if (line === undefined) return 'printed nothing instead of one line of JSON';
  if (lines.length > 1) return `printed ${lines.length} lines instead of one; text for people belongs on stderr`;
  const answer = parseJson(line);
  if (isObject(answer) && typeof answer.ok === 'boolean') return { ...answer, ok: answer.ok };
  return 'printed a line that is not a JSON object with ok, true or false';
}

/** Runs a command line to its end, at most `timeout` milliseconds, with one line on its stdin. */
function runProgram(command: string, line: string, timeout: number): Promise<Ended> {
  const program = spawn(command, { shell: true, detached: grouped });
  let [stdout, stderr] = ['', ''];
  program.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (stdout.length <= longestOutput) stdout += text;
  });
  program.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = `${stderr}${text}`.slice(-longestOutput);
  });
  running.add(program);
  // A program may end without reading its stdin.
  program.stdin.on('error', () => {});
  program.stdin.end(`${line}\n`);

  return new Promise((resolve) => {
    const end = (fault: string | undefined) => {
      clearTimeout(timer);
      running.delete(program);
      resolve({ fault, stdout, stderr });
    };
    const timer = setTimeout(() => {
      end(`did not end in ${timeout} ms (see --timeout)`);
      kill(program);
      program.stdout.destroy();
      program.stderr.destroy();
    }, timeout);
    program.on('error', (error) => end(`could not be started: ${error.message}`));
    program.on('close', (code, signal) => {
      if (signal !== null) end(`was ended by ${signal}`);
      else if (code !== 0) end(`ended with code ${code}`);
      else end(stdout.length > longestOutput ? `printed more than ${longestOutput} characters` : undefined);
    });
  });
}

/** A program has a process group of its own, so that the processes it has started end with it. */
const grouped = process.platform !== 'win32';

function kill({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(grouped ? -pid : pid, 'SIGKILL');
  } catch {
    // The program has ended meanwhile.
  }
}
