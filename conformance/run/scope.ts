import type { Check } from '../check/check.ts';
import { type Need, needNames } from '../check/needs.ts';
import { counted } from '../contract/counted.ts';
import type { CheckResult } from './verdict.ts';

/** The areas of the contract that a target can have or lack. */
export const scopeAreas = ['orders', 'refunds', 'checkout', 'webhooks'] as const;

/** How much of the contract a run has judged. */
export interface Scope {
  /** The areas that were judged: of those that the target has by the configuration, those from which a check was selected. */
  areas: string[];
  /** Needs that the configuration leaves out on purpose. */
  without: Need[];
  /** Checks of level MUST: those with a verdict, all of these areas that were selected, and those that found nothing to judge; absent: none. */
  must: { judged: number; total: number; inapplicable?: number };
  /** Needs that keep a MUST from being judged and that the configuration does not leave out. */
  undeclared: Need[];
}

/** The scope of a run with these results. */
export function scopeOf(
  results: readonly CheckResult[],
  {
    areas,
    without = [],
    notRun = [],
  }: {
    areas?: readonly string[] | undefined;
    without?: readonly Need[] | undefined;
    /** Selected checks that did not run. */
    notRun?: readonly Check[] | undefined;
  },
): Scope {
  const inScope = results.filter(({ skip }) => skip?.kind !== 'area');
  const selected: ReadonlySet<string> = new Set([
    ...inScope.map(({ check }) => check.area),
    ...notRun.map(({ area }) => area),
  ]);
  // Without a check of any of them, as in a run of authentication alone, no area is meant more than another.
  const isJudged = (area: string) => selected.has(area) || !scopeAreas.some((each) => selected.has(each));
  const must = inScope.filter(({ check }) => check.level === 'MUST');
  const judged = must.filter(({ verdict }) => verdict !== 'skipped' && verdict !== 'inconclusive');
  const inapplicable = must.filter(({ skip }) => skip?.kind === 'not-applicable').length;
  const undeclared = new Set(must.flatMap(({ skip }) => (skip?.kind === 'missing' ? skip.needs : [])));
  return {
    areas: scopeAreas.filter((area) => (areas?.includes(area) ?? true) && isJudged(area)),
    without: [...without],
    must: {
      judged: judged.length,
      total: must.length + notRun.filter(({ level }) => level === 'MUST').length,
      ...(inapplicable > 0 && { inapplicable }),
    },
    undeclared: needNames.filter((need) => undeclared.has(need)),
  };
}

/** A scope in words, such as `in orders, refunds; … of … MUST checks judged; without: clock`. */
export function scopeText({ areas, without, must }: Scope): string {
  return [
    ...(areas.length < scopeAreas.length ? [`in ${areas.join(', ')}`] : []),
    `${must.judged} of ${counted(must.total, 'MUST check')} judged${inapplicableText(must)}`,
    ...(without.length > 0 ? [`without: ${without.join(', ')}`] : []),
  ].join('; ');
}

/** A target may owe nothing of what a check asks about, or do nothing that a rule over the whole run looks at. */
const inapplicableText = ({ inapplicable = 0 }: Scope['must']) =>
  inapplicable === 0 ? '' : ` (${inapplicable} found nothing to judge)`;

/** An outcome with its scope, such as `conformant in orders, refunds; … of … MUST checks judged; without: clock`. */
export function headline(outcome: string, scope: Scope): string {
  const text = scopeText(scope);
  return `${outcome}${text.startsWith('in ') ? ' ' : '; '}${text}`;
}

/** The sentence about bodies that were not judged whole; `undefined` when there are none. */
export function cutBodiesText(count: number | undefined): string | undefined {
  if (!count) return undefined;
  return `${counted(count, 'body is', 'bodies are')} too long to be kept whole, and the rules over the whole run did not judge ${count === 1 ? 'it' : 'them'}`;
}

/** The sentence about checks that did not run; `undefined` when all ran. */
export function notRunText(stopped: { reason: string; notRun: readonly string[] } | undefined): string | undefined {
  if (!stopped) return undefined;
  const { length } = stopped.notRun;
  return `${counted(length, 'check was', 'checks were')} not run, because the run was stopped: ${stopped.reason}`;
}

/** The line that declares the scope in a configuration; `undefined` when nothing is missing. */
export function declaration({ without, undeclared }: Scope): string | undefined {
  if (undeclared.length === 0) return undefined;
  const needs = needNames.filter((need) => without.includes(need) || undeclared.includes(need));
  return `without: [${needs.join(', ')}]`;
}
