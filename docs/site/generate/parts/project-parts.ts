import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Matrix } from '../../../../conformance/proof/matrix.ts';
import { areas, areaTitles, requirementLink } from '../catalogue-links.ts';
import { blocks, code, details, heading, table, text } from '../markdown.ts';
import type { Part } from './part.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const matrixFile = `${root}docs/data/proof.json`;

/** `changelog`: CHANGELOG.md below its title. */
export const changelog: Part = {
  options: {},
  make: () =>
    readFileSync(`${root}CHANGELOG.md`, 'utf8')
      .replace(/^# .*\n/, '')
      .trim(),
};

/** `proof`: how many wrong servers the checks find, and which check finds which, where `npm run proof` has written it. */
export const proof: Part = {
  options: {},
  make: () => {
    if (!existsSync(matrixFile)) {
      return 'This copy of the site was built without the matrix. `npm run proof` in a clone makes it, in `docs/data/proof.json`; build the site again afterwards.';
    }
    const matrix: Matrix = JSON.parse(readFileSync(matrixFile, 'utf8'));
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

/** Each wrong server with the checks that see it; the one that has to stands first. */
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
      details('What is wrong with each, and what finds it', items.join('\n')),
    ];
  });
  return [
    ...sections,
    heading(3, `${variants.length} conforming servers`, 'conforming'),
    details(
      'In what they differ',
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
