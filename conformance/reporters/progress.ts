import { counted } from '../contract/counted.ts';
import type { CheckResult } from '../run/verdict.ts';
import { createRateWaits, type RateWait, type RateWaits } from '../wire/rate-waits.ts';

/** Where progress is shown. */
interface Output {
  write(text: string): unknown;
  isTTY?: boolean;
  /** The width of the terminal, in characters. */
  columns?: number;
}

/** How often progress is shown, in milliseconds: lines that are overwritten on a terminal, one more line elsewhere. */
const intervals = { terminal: 500, elsewhere: 10_000 };

/** How long after a wait the rate limit of the target is still told as the reason, in milliseconds: refusals come in bursts. */
const shortlyAfter = 5000;

/** How many of the running checks are named. */
const mostNamed = 3;

/** A check that has started and not ended. `since`: when it started, in milliseconds. */
interface Running {
  since: number;
  lasts: boolean;
  afterwards: boolean;
}

/** Progress of a run. */
export interface Progress {
  /** A check starts. One that `lasts` waits for the others itself, and so it is named after them. One that comes `afterwards` asks for nothing. */
  start(check: { id: string; lasts?: true; afterwards?: true }): void;
  /** A check has ended. */
  show(result: Pick<CheckResult, 'verdict'> & { check: { id: string } }): void;
  /** The target has refused a request for its rate, and the run waits. */
  holdBack(wait: RateWait): void;
  /** The run has ended. */
  end(): void;
}

/**
 * Shows how far a run is: how many checks are done and how many of them failed, and for which ones it waits, and how long already. A terminal
 * gets lines that are overwritten. Any other output gets a line every ten seconds. `now` is a clock in milliseconds.
 */
export function textProgress(total: number, output: Output, now: () => number = () => performance.now()): Progress {
  const running = new Map<string, Running>();
  const counts = { done: 0, failed: 0, inconclusive: 0 };
  const rateWaits = createRateWaits();
  let shown = 0;

  const clear = () => {
    const text = shown > 0 ? `\r\u001b[2K${'\u001b[1A\u001b[2K'.repeat(shown - 1)}` : '';
    shown = 0;
    return text;
  };
  const draw = () => {
    const lines = [countsLine(counts, total), rateLine(rateWaits, now()), waitingLine(running, now())].filter(
      (line) => line !== '',
    );
    if (!output.isTTY) {
      output.write(`${lines.join('; ')}\n`);
      return;
    }
    // A line that the terminal breaks in two could not be overwritten.
    const fitting = lines.map((line) => line.slice(0, (output.columns ?? 80) - 1));
    output.write(`${clear()}${fitting.join('\n')}`);
    shown = fitting.length;
  };
  const timer = setInterval(draw, output.isTTY ? intervals.terminal : intervals.elsewhere).unref();

  return {
    start: ({ id, lasts = false, afterwards = false }) => {
      running.set(id, { since: now(), lasts, afterwards });
    },
    show: ({ check, verdict }) => {
      running.delete(check.id);
      counts.done += 1;
      if (verdict === 'failed' || verdict === 'inconclusive') counts[verdict] += 1;
    },
    holdBack: rateWaits.add,
    end: () => {
      clearInterval(timer);
      output.write(clear());
    },
  };
}

function countsLine(
  { done, failed, inconclusive }: Readonly<Record<'done' | 'failed' | 'inconclusive', number>>,
  total: number,
): string {
  const parts = [
    `${done}/${total} checks`,
    ...(failed ? [`${failed} failed`] : []),
    ...(inconclusive ? [`${inconclusive} without a verdict`] : []),
  ];
  return parts.join(', ');
}

/** Why the run is slow, while the target refuses requests for their rate. Empty: it does not, or has not done so for some seconds. */
function rateLine({ refused, waited, until }: RateWaits, now: number): string {
  if (now - until > shortlyAfter) return '';
  const seconds = Math.round(waited / 1000);
  return `the target's rate limit holds the run back: ${counted(refused, 'request was', 'requests were')} refused, ${seconds} s of waiting`;
}

/** The checks that have been running longest, with the seconds that they have been running for. */
function waitingLine(running: ReadonlyMap<string, Running>, now: number): string {
  const longest = [...running].sort(
    ([, one], [, other]) => Number(one.lasts) - Number(other.lasts) || one.since - other.since,
  );
  if (longest.length === 0) return '';
  const titleOf = (id: string, { afterwards }: Running) =>
    afterwards ? 'the judgement of everything that was exchanged' : id;
  const named = longest
    .slice(0, mostNamed)
    .map(([id, each]) => `${titleOf(id, each)} (${Math.round((now - each.since) / 1000)} s)`);
  const others = longest.length - named.length;
  return `waiting for ${named.join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
}
