import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Figures } from '../../../../conformance/mutation/figures.ts';
import type { Matrix } from '../../../../conformance/proof/matrix.ts';
import { rootFolder } from '../../folders.ts';
import { areas, areaTitles, requirementLink } from '../catalogue-links.ts';
import { blocks, code, details, heading, table, text } from '../markdown.ts';
import type { Part } from './part.ts';

/** `changelog`: the text of CHANGELOG.md below its title. */
export const changelog: Part = {
  options: {},
  make: () =>
    readFileSync(join(rootFolder, 'CHANGELOG.md'), 'utf8')
      .replace(/^# .*\n/, '')
      .trim(),
};

/** `proof`: the result of the last `npm run proof`: how many wrong servers the checks find, and which check finds which. */
export const proof: Part = {
  options: {},
  make: () => {
    const matrix: Matrix = JSON.parse(readFileSync(join(rootFolder, 'docs/data/proof.json'), 'utf8'));
    return blocks([score(matrix), ...perArea(matrix)]);
  },
};

/** `mutation`: the figures of the last `npm run mutation`: how many mutants of the reference server a check finds. */
export const mutation: Part = {
  options: {},
  make: () => {
    const figures: Figures = JSON.parse(readFileSync(join(rootFolder, 'docs/data/mutation.json'), 'utf8'));
    const { survived, found, notConformant } = figures;
    return table(
      ['Mutants', 'Count'],
      [
        ['In the reference server', figures.mutants],
        ['Reached by a check', figures.reached],
        [`Judged in the last pass${figures.judged < figures.reached ? ', a sample of them' : ''}`, figures.judged],
        ['Found by a check', figures.killed],
        ['Found by none, but a MUST is left without a verdict', figures.undecided],
        ['Equivalent to the right server', survived.equivalent],
        ['Permitted by the contract', survived.permitted],
        ['Out of sight from outside', survived['out-of-sight']],
        ['Holes', survived.hole],
        ['Survivors that nobody has read yet', figures.unread],
        ['Found, of those neither equivalent nor permitted', `${found.toFixed(1)} %`],
        ['Of the same, without a run that ends as conformant', `${notConformant.toFixed(1)} %`],
      ].map((row) => row.map(String)),
    );
  },
};

function score({ checks, faults, variants, missedAtFirst }: Matrix): string {
  const byOwn = faults.filter(({ caughtBy, seenBy }) => seenBy.some((index) => checks[index]?.id === caughtBy));
  const seen = new Set(faults.flatMap(({ seenBy }) => seenBy));
  const judging = checks.filter(({ level }) => level !== 'MAY').length;
  const red = checks.filter(({ level }, index) => level !== 'MAY' && seen.has(index)).length;
  return table(
    ['What is proved', 'Of', 'Holds for'],
    [
      ['Wrong servers that their own check finds', faults.length, byOwn.length],
      [
        'Of them, found at the first time, before it is given more time for webhooks',
        faults.length,
        faults.length - missedAtFirst.length,
      ],
      [
        'Conforming servers that no check accuses',
        variants.length,
        variants.filter(({ accusedBy }) => accusedBy.length === 0).length,
      ],
      ['Judging checks that a wrong server turns red', judging, red],
    ].map((row) => row.map(String)),
  );
}

/** The wrong servers of each area, each with the check that is meant for it and the number of other checks that see it. */
function perArea({ checks, faults, variants }: Matrix): string[] {
  const areaOf = new Map(checks.map(({ id, area }) => [id, area]));
  const sections = areas.flatMap((area) => {
    const own = faults.filter(({ caughtBy }) => areaOf.get(caughtBy) === area);
    if (own.length === 0) return [];
    // A list, because a table has no room for names of that length.
    const items = own.map(({ title, breaks, caughtBy, seenBy }) =>
      [
        `- ${text(title)}`,
        `Breaks ${requirementLink(breaks)}.`,
        `Found by ${[code(caughtBy), ...also(seenBy.length - 1)].join(' ')}.`,
      ].join(' '),
    );
    return [
      heading(3, `${areaTitles[area]}: ${own.length} wrong servers`, `wrong-${area}`),
      details('The fault of each, and the checks that find it', items.join('\n')),
    ];
  });
  return [
    ...sections,
    heading(3, `${variants.length} conforming servers`, 'conforming'),
    details(
      'Their differences',
      table(
        ['Conforming server', 'Accused'],
        variants.map(({ title, accusedBy }) => [text(title), accusedBy.length === 0 ? 'by no check' : 'wrongly']),
      ),
    ),
  ];
}

function also(others: number): string[] {
  return others > 0 ? [`and ${others} more`] : [];
}
