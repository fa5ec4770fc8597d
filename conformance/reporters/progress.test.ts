import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { textProgress } from './progress.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function output(terminal: { isTTY?: boolean; columns?: number } = {}) {
  const written: string[] = [];
  return { written, write: (text: string) => written.push(text), ...terminal };
}
const ended = (id: string, verdict: 'passed' | 'failed' | 'inconclusive') => ({ check: { id }, verdict });

describe('the progress of a run', () => {
  it('is a line every ten seconds in CI, and none for a single check', () => {
    const ci = output();
    const progress = textProgress(500, ci, () => Date.now());
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) progress.start({ id });
    progress.show(ended('a', 'failed'));
    progress.show(ended('b', 'inconclusive'));
    progress.show(ended('c', 'passed'));
    expect(ci.written).toEqual([]);
    vi.advanceTimersByTime(10_000);
    expect(ci.written).toEqual([
      '3/500 checks, 1 failed, 1 without a verdict; waiting for d (10 s), e (10 s), f (10 s) and 1 more\n',
    ]);
    vi.advanceTimersByTime(20_000);
    expect(ci.written).toHaveLength(3);
    progress.end();
    vi.advanceTimersByTime(60_000);
    expect(ci.written.join('').split('\n')).toHaveLength(4);
  });

  it('names a check that lasts after those for which it waits itself', () => {
    const ci = output();
    const progress = textProgress(500, ci, () => Date.now());
    progress.start({ id: 'lasting', lasts: true });
    for (const id of ['a', 'b']) progress.start({ id });
    vi.advanceTimersByTime(10_000);
    expect(ci.written).toEqual(['0/500 checks; waiting for a (10 s), b (10 s), lasting (10 s)\n']);
    progress.end();
  });

  it('says what is done when nothing more is asked', () => {
    const ci = output();
    const progress = textProgress(500, ci, () => Date.now());
    progress.start({ id: 'orders.create.declared.json', afterwards: true });
    vi.advanceTimersByTime(10_000);
    expect(ci.written).toEqual(['0/500 checks; waiting for the judgement of everything that was exchanged (10 s)\n']);
    progress.end();
  });

  it('names the rate limit of the target while it holds the run back, and not long after', () => {
    const ci = output();
    const progress = textProgress(500, ci, () => Date.now());
    progress.start({ id: 'a' });
    const start = Date.now();
    progress.holdBack({ start, end: start + 8000 });
    progress.holdBack({ start: start + 1000, end: start + 9000 });
    vi.advanceTimersByTime(20_000);
    expect(ci.written).toEqual([
      "0/500 checks; the target's rate limit holds the run back: 2 requests were refused, 9 s of waiting; waiting for a (10 s)\n",
      '0/500 checks; waiting for a (20 s)\n',
    ]);
    progress.end();
  });

  it('is two lines on a terminal that are overwritten, each no wider than it, and that are gone in the end', () => {
    const terminal = output({ isTTY: true, columns: 20 });
    const progress = textProgress(500, terminal, () => Date.now());
    progress.start({ id: 'orders.create.minimal' });
    vi.advanceTimersByTime(500);
    expect(terminal.written.splice(0)).toEqual(['0/500 checks\nwaiting for orders.']);
    vi.advanceTimersByTime(500);
    const clear = '\r\u001b[2K\u001b[1A\u001b[2K';
    expect(terminal.written.splice(0)).toEqual([`${clear}0/500 checks\nwaiting for orders.`]);
    progress.end();
    expect(terminal.written).toEqual([clear]);
  });
});
