import type { Check } from '../../check/check.ts';
import { fieldRuleChecks } from '../../checks/derived/field-rules.ts';
import { allChecks } from '../../checks/index.ts';
import { partOf } from '../stand/checks-of-server.ts';
import { oneOfEach } from './one-of-each.ts';

const fieldRules = new Set(fieldRuleChecks.map(({ id }) => id));

/**
 * What a check has in common with others that look at another field or operation. Constraints have their area, their keyword, which
 * is the last word of an id, and their open point; rules of authentication have their name, which is the last word of four.
 */
function kindOf({ id, openPoint }: Check): string | undefined {
  const words = id.split('.');
  const [area] = words;
  if (fieldRules.has(id)) return `${area} ${words.at(-1)} ${openPoint}`;
  return area === 'auth' && words.length === 4 ? `auth ${words.at(-1)}` : undefined;
}

/**
 * Checks that send very many requests: random sequences, combinations of circumstances, all that ends looked at again, and a query for more than a
 * hundred refunds that must be made first.
 */
const isLarge = ({ id }: Check): boolean =>
  /\.(exploration|combinations|at-the-end)$/.test(id) || id === 'refunds.batch-query.many-known';

/** What `npm test` holds against servers as a whole: one check of each kind, and none that is large. `npm run proof` takes every check. */
export const quickChecks: readonly Check[] = oneOfEach(allChecks, kindOf).filter((check) => !isLarge(check));

/** Of `quickChecks`, the rules over everything that was exchanged, and one of so many parts of the checks that ask. */
export const quickPart = (turn: number, parts: number): readonly Check[] => {
  const asking = quickChecks.filter(({ afterwards }) => !afterwards);
  const part = new Set(partOf(asking, turn, parts));
  return quickChecks.filter((check) => check.afterwards || part.has(check));
};
