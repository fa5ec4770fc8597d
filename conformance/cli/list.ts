import { Command } from 'commander';
import { listedChecks } from '../checks/listed-checks.ts';
import { counted } from '../contract/counted.ts';
import { coloursFor } from '../text/colours.ts';

const pc = coloursFor(process.stdout);

/** `assay list`: lists every check as text, or as JSON with --json. */
export function listCommand(): Command {
  return new Command('list')
    .description(
      'List every check: id, title, area, level, requirements, needs, and the version of the suite that it came with.',
    )
    .option('--json', 'as JSON')
    .action(({ json }: { json?: boolean }) => {
      process.stdout.write(json ? `${JSON.stringify(listedChecks, null, 2)}\n` : listText());
    });
}

function listText(): string {
  const lines = listedChecks.map(({ id, title, area, level, requirements, openPoint, invariant, needs }) => {
    const about = [...requirements, ...(openPoint ? [`open point ${openPoint}`] : [])].join(', ');
    const need = needs.length > 0 ? `\n    needs ${needs.join(', ')}` : '';
    const judges = invariant
      ? `\n    judges everything that the run exchanges, as a rule of the invariant ${invariant}`
      : '';
    return `${pc.bold(id)}  ${level}  [${area}]\n    ${title}\n    ${pc.dim(about)}${need}${judges}`;
  });
  return `${lines.join('\n')}\n\n${counted(listedChecks.length, 'check')}\n`;
}
