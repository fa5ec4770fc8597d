import { stripVTControlCharacters } from 'node:util';
import { allChecks } from '../../../../conformance/checks/index.ts';
import { textSummary } from '../../../../conformance/reporters/text.ts';
import { buildReport } from '../../../../conformance/run/report.ts';
import type { CheckResult } from '../../../../conformance/run/verdict.ts';
import { fence } from '../markdown.ts';
import type { Part } from './part.ts';

const target = 'https://sandbox.example.com';

/** `finding`: a check that failed, as the summary of a run prints it. */
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

/** What a run finds of a target that pays an order which is closed. */
function closedOrderMoved(): CheckResult {
  const check = allChecks.find(({ id }) => id === 'orders.state.closed-is-final');
  if (!check) throw new Error('the check that the example of a finding shows is gone');
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
