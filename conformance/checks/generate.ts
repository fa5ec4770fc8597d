/** Makes `generated/checks.json`, the list of all checks without their code; a part of `npm run generate`. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { invariantOf } from '../invariants/index.ts';
import { sinceOf } from './check-ids.ts';
import { allChecks } from './index.ts';
import type { ListedCheck } from './listed-checks.ts';

const file = fileURLToPath(new URL('../../generated/checks.json', import.meta.url));

/** The list that the code of the checks gives. */
export function listChecks(): readonly ListedCheck[] {
  return allChecks.map(({ id, title, area, level, requirements, openPoint, needs }) => ({
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
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(file, `${JSON.stringify(listChecks(), null, 2)}\n`);
}
