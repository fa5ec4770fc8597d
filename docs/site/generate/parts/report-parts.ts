import { stripVTControlCharacters } from 'node:util';
import type { Check } from '../../../../conformance/check/check.ts';
import { allChecks } from '../../../../conformance/checks/index.ts';
import { textSummary } from '../../../../conformance/reporters/text.ts';
import { buildReport } from '../../../../conformance/run/report.ts';
import type { CheckResult } from '../../../../conformance/run/verdict.ts';
import type { Exchange } from '../../../../conformance/wire/exchange.ts';
import { fence } from '../markdown.ts';
import type { Part } from './part.ts';

const target = 'https://sandbox.example.com';

/** `finding`: the lines that the summary of a run prints for a failed check. */
export const finding: Part = {
  options: {},
  make: () => fence('text', summaryOf([closedOrderMoved()]).trim().split('\n\n')[0] ?? ''),
};

/** `causes`: the summary of a run against a target that finds no path. */
export const causes: Part = {
  options: {},
  make: () => {
    const checks = allChecks.filter(({ id }) => id.startsWith('orders.create.') && !id.includes('.constant.'));
    return fence('text', summaryOf(checks.map(pathNotFound)).trim());
  },
};

/** The summary of a run with these results, without colours. */
function summaryOf(results: readonly CheckResult[]): string {
  const report = buildReport(results, {
    ...{ target, seed: 585603495, startedAt: new Date(0), durationMs: 1000 },
    ...{ complete: true, pins: {}, configuration: {}, secrets: [] },
  });
  return stripVTControlCharacters(textSummary(report));
}

const exchange = (method: string, path: string): Exchange => ({
  request: { method, url: `${target}/api/v1/merchants/M-1/orders${path}`, headers: {}, body: '' },
  durationMs: 10,
});

/** The result of a check against a target that answers each request with HTTP 404. */
function pathNotFound(check: Check): CheckResult {
  const response = { status: 404, headers: {}, body: '{"error":"Not Found"}' };
  const found = 'HTTP 404 with {"error":"Not Found"}';
  const judged = {
    durationMs: 10,
    exchanges: [{ ...exchange('POST', ''), response }],
    observations: [],
    transitions: [],
  };
  if (check.id !== 'orders.create.minimal') {
    return { ...judged, check, verdict: 'inconclusive', reason: `making an order was not accepted: ${found}` };
  }
  const expected = 'a create of an order with every required field: code = 00000';
  return {
    ...judged,
    check,
    verdict: 'failed',
    requirement: 'orders.create.accepted',
    expected,
    actual: found,
    exchange: 1,
  };
}

/** The result of a check against a target that accepts a payment for a closed order. */
function closedOrderMoved(): CheckResult {
  const check = allChecks.find(({ id }) => id === 'orders.state.closed-is-final');
  if (!check) throw new Error('the check orders.state.closed-is-final, which the example shows, does not exist');
  return {
    ...{ check, verdict: 'failed', requirement: 'orders.states.final' },
    ...{ expected: 'CLOSED', actual: 'PROCESSING', exchange: 3 },
    exchanges: [exchange('POST', ''), exchange('GET', '/order-1'), exchange('GET', '/order-1')],
    ...{ durationMs: 30, observations: [], transitions: [] },
  };
}
