import type { Check } from '../../../../conformance/check/check.ts';
import { allChecks } from '../../../../conformance/checks/index.ts';
import { selectChecks } from '../../../../conformance/cli/select-checks.ts';
import type { scopeAreas } from '../../../../conformance/run/scope.ts';
import { areaTitles } from '../catalogue-links.ts';
import { code, table } from '../markdown.ts';
import type { Part } from './part.ts';

/** The areas in the order in which each needs only those before it: a refund needs a paid order, and a webhook needs both. */
const order = ['orders', 'checkout', 'refunds', 'webhooks'] as const satisfies readonly (typeof scopeAreas)[number][];

/** `build-order`: what to build in which order, each step with the command that judges it and the number of its checks. */
export const buildOrder: Part = {
  options: {},
  make: () =>
    table(
      ['Step', 'Build', 'Run', 'Checks', 'Of them MUST', 'Of them without a driver'],
      [
        [
          'The verification of signatures, and a query for a hosted order that answers 40001',
          command('doctor'),
          '',
          '',
          '',
        ],
        ...order.map((area) => [
          areaTitles[area],
          command(`run --area ${area}`),
          ...countsOf(selectChecks(allChecks, { area: [area] })),
        ]),
        ['Everything together', command('run'), ...countsOf(allChecks)],
      ].map((cells, index) => [String(index + 1), ...cells]),
    ),
};

const command = (words: string) => code(`npx --no-install assay ${words}`);
const countsOf = (checks: readonly Check[]) =>
  [checks, checks.filter(isMust), checks.filter(needsNothing)].map(({ length }) => String(length));

const isMust = ({ level }: Check) => level === 'MUST';
const needsNothing = ({ needs }: Check) => needs.length === 0;
