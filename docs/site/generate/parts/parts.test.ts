// What parts of the pages say beside what their sources hold word for word.
import { expect, test } from 'vitest';
import { openPointCatalogue } from './catalogue-parts.ts';
import { command, commands } from './command-parts.ts';

const helpOf = (name: string) => command.make({ name });

test.each([
  ['run', '3    no judgement: the target cannot be reached'],
  ['doctor', 'Exit codes: 0 a run can begin; 1 something is wrong, but a run can judge the rest;'],
  ['compare', 'Exit codes: 0 nothing got worse; 1 something did;'],
  ['prove', 'assay prove --sample 40 --seed 7 --at-least 90 --report markdown=prove.md'],
])('the help of %s has what follows its options', (name, text) => {
  expect(helpOf(name)).toContain(text);
});

test('no line of a help is longer than a page shows', () => {
  const long = Object.keys(commands).flatMap((name) =>
    helpOf(name)
      .split('\n')
      .filter((line) => line.length > 96),
  );
  expect(long).toEqual([]);
});

test('what is broken in a column goes on in that column', () => {
  expect(helpOf('run')).toMatch(/\n {2}3 {4}no judgement: .*\n {7}judged, a limit stopped the run/);
});

test('the exit codes of judge speak of nothing that it does not have', () => {
  expect(helpOf('judge')).toContain('1    a rule failed\n');
  expect(helpOf('judge')).not.toMatch(/baseline|target cannot/);
});

/** The entry of an open point on its page. */
const entryOf = (id: string) =>
  openPointCatalogue
    .make({})
    .split('\n### ')
    .find((entry) => entry.startsWith(`\`${id}\``));

test('an open point says whether the server has another answer, and whether others are permitted', () => {
  expect(entryOf('webhook-delay')).toContain(
    '- The reference server always takes `at-once`; `--choices` cannot change that. The time is a number',
  );
  expect(entryOf('refund-period')).not.toContain('--choices');
  expect(entryOf('refund-period')).toContain('- Only the answers above are permitted: a run warns about any other.');
  expect(entryOf('refund-second')).not.toContain('Only the answers above are permitted');
});
