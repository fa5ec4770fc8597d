import type { CheckReport, Report } from '../../../run/report.ts';
import type { Exchange } from '../../../wire/exchange.ts';
import { countsOf } from '../cause.ts';
import { causesOf } from '../index.ts';

const target = 'https://sandbox.example.com/pay';

export const success = { code: '00000', data: { orderId: 'o-1' } };
export const refusal = { code: '90001', message: 'out of order' };

/** A request to a path of one merchant, with its answer. */
export function exchange(method: string, path: string, body: unknown, status = 200): Exchange {
  const request = { method, url: `${target}/api/v1/merchants/M-1/${path}`, headers: {}, body: '' };
  return { request, response: { status, headers: {}, body: JSON.stringify(body) }, durationMs: 1 };
}

export const create = (body: unknown, status?: number) => exchange('POST', 'orders', body, status);
export const query = (body: unknown, status?: number) => exchange('GET', 'orders/o-1', body, status);

/** A check of the orders with a verdict, and with nothing else but what is given. */
export function check(id: string, verdict: CheckReport['verdict'], rest: Partial<CheckReport> = {}): CheckReport {
  return {
    ...{ id, title: id, area: 'orders', level: 'MUST', requirements: [], verdict, reason: null, message: null },
    ...{ expected: null, actual: null, brokenRequirement: null, decisiveExchange: null, durationMs: 1, exchanges: [] },
    ...rest,
  };
}

/** So many checks that differ in nothing but their ids. */
export const checks = (count: number, ...[id, verdict, rest]: Parameters<typeof check>) =>
  Array.from({ length: count }, (_, index) => check(`${id}.${index}`, verdict, rest));

export const reportOf = (all: CheckReport[]) => ({ target, checks: all }) as Report;

/** What is told of the causes of checks: the text, the counts, and the check that shows it. */
export const told = (all: CheckReport[]) =>
  causesOf(reportOf(all)).map((cause) => [cause.text, countsOf(cause), cause.shownBy.id]);
