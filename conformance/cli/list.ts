import { Command } from 'commander';
import { sinceOf } from '../checks/check-ids.ts';
import { allChecks } from '../checks/index.ts';
import { invariantOf } from '../invariants/index.ts';
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
      process.stdout.write(json ? listJson() : listText());
    });
}

function listJson(): string {
  const entries = allChecks.map(({ id, title, area, level, requirements, openPoint, needs }) => ({
    id,
    title,
    area,
    level,
    since: sinceOf(id),
    requirements,
    openPoint: openPoint ?? null,
    invariant: invariantOf(id)?.name ?? null,
    needs,
  }));
  return `${JSON.stringify(entries, null, 2)}\n`;
}

function listText(): string {
  const lines = allChecks.map(({ id, title, area, level, requirements, openPoint, needs }) => {
    const about = [...requirements, ...(openPoint ? [`open point ${openPoint}`] : [])].join(', ');
    const need = needs.length > 0 ? `\n    needs ${needs.join(', ')}` : '';
    const invariant = invariantOf(id);
    const judges = invariant
      ? `\n    judges everything that the run exchanges, as a rule of the invariant ${invariant.name}`
      : '';
    return `${pc.bold(id)}  ${level}  [${area}]\n    ${title}\n    ${pc.dim(about)}${need}${judges}`;
  });
  return `${lines.join('\n')}\n\n${allChecks.length} checks\n`;
}
