import { readFileSync } from 'node:fs';
import { join } from 'node:path';
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

function score({ checks, faults, variants }: Matrix): string {
  const byOwn = faults.filter(({ caughtBy, seenBy }) => seenBy.some((index) => checks[index]?.id === caughtBy));
  const seen = new Set(faults.flatMap(({ seenBy }) => seenBy));
  const judging = checks.filter(({ level }) => level !== 'MAY').length;
  const red = checks.filter(({ level }, index) => level !== 'MAY' && seen.has(index)).length;
  return table(
    ['What is proved', 'Of', 'Holds for'],
    [
      ['Wrong servers that their own check finds', faults.length, byOwn.length],
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
