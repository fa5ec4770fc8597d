import { stripVTControlCharacters } from 'node:util';
import { allChecks } from '../../../../conformance/checks/index.ts';
import { textSummary } from '../../../../conformance/reporters/text.ts';
import { buildReport } from '../../../../conformance/run/report.ts';
import type { CheckResult } from '../../../../conformance/run/verdict.ts';
import { fence } from '../markdown.ts';
import type { Part } from './part.ts';

const target = 'https://sandbox.example.com';

/** `finding`: the lines that the summary of a run prints for a failed check. */
export const finding: Part = {
  options: {},
  make: () => {
    const summary = textSummary(
      buildReport([closedOrderMoved()], {
        ...{ target, seed: 585603495, startedAt: new Date(0), durationMs: 1000 },
        ...{ complete: true, pins: {}, configuration: {}, secrets: [] },
      }),
    );
    const [first = ''] = stripVTControlCharacters(summary).trim().split('\n\n');
    return fence('text', first);
  },
};

/** The result of a check against a target that accepts a payment for a closed order. */
function closedOrderMoved(): CheckResult {
  const check = allChecks.find(({ id }) => id === 'orders.state.closed-is-final');
  if (!check) throw new Error('the check orders.state.closed-is-final, which the example shows, does not exist');
  const exchange = (method: string, path: string) => ({
    request: { method, url: `${target}/api/v1/merchants/M-1/orders${path}`, headers: {}, body: '' },
    durationMs: 10,
  });
  return {
    ...{ check, verdict: 'failed', requirement: 'orders.states.final' },
    ...{ expected: 'CLOSED', actual: 'PROCESSING', exchange: 3 },
    exchanges: [exchange('POST', ''), exchange('GET', '/order-1'), exchange('GET', '/order-1')],
    ...{ durationMs: 30, observations: [], transitions: [] },
  };
}
