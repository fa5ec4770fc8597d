import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../wire/exchange.ts';
import { causesOf } from './index.ts';
import { check, checks, create, exchange, query, refusal, reportOf, success, told } from './testing/reports.ts';

describe('the causes of a report', () => {
  it('are one where each request gets an answer of one kind, whatever a check says of it', () => {
    const missing = [create({ error: 'Not Found' }, 404), query({ error: 'Not Found' }, 404)];
    const all = [
      ...checks(3, 'waits', 'inconclusive', { reason: 'no order', exchanges: missing }),
      check('shows', 'failed', {
        exchanges: missing.slice(0, 1),
        decisiveExchange: 1,
        brokenRequirement: 'orders.create.accepted',
      }),
      check('shared', 'inconclusive', { reason: 'no order' }),
    ];
    expect(told(all)).toEqual([
      [
        'every request is answered with HTTP 404 and no code of the contract: {"error":"Not Found"}',
        '1 failed, 4 without a verdict',
        'shows',
      ],
    ]);
  });

  it.each<[string, (envelope: { code: string }) => unknown, string]>([
    [
      'other names',
      ({ code, ...others }) => ({ errorCode: code, ...others }),
      'every request gets an answer that has errorCode where code is due',
    ],
    [
      'numbers as codes',
      ({ code, ...others }) => ({ code: Number(code), ...others }),
      'every request gets an answer that has a code that is the number 0, and must be text such as "00000"',
    ],
  ])('name what keeps a reader from the answers: %s', (_what, change, text) => {
    const answered = [create(change(success)), query(change(success)), query(change(refusal))];
    const all = checks(3, 'waits', 'inconclusive', { reason: 'no order', exchanges: answered });
    expect(causesOf(reportOf(all)).map((cause) => [cause.text, cause.everything, cause.onTheWay])).toEqual([
      [text, true, true],
    ]);
  });

  it('name answers that cannot be read beside the refusals of other checks', () => {
    const refusals = ['10001', '40001', '90001'].map((code) => create({ ...refusal, code }));
    const answered = [...refusals, create(success.data), query(success.data)];
    const all = checks(3, 'waits', 'inconclusive', { reason: 'no order', exchanges: answered });
    expect(told(all).map(([text]) => text)).toEqual([
      'no request is accepted, and many get an answer that has no envelope: orderId stands where code, message and data are due',
    ]);
  });

  it('show the title of a page, and say that nothing else of the target was seen', () => {
    const page = '<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body><center>nginx</center></body></html>';
    const answered = [create({}, 502), query({}, 502)];
    for (const { response } of answered) if (response) response.body = page;
    const all = checks(5, 'waits', 'inconclusive', { reason: 'a gateway answered', exchanges: answered });
    const [first, ...others] = causesOf(reportOf(all));
    expect(first?.text).toBe(
      'every request is answered with HTTP 502 and no code of the contract: a page, "502 Bad Gateway"',
    );
    expect([first?.everything, others]).toEqual([true, []]);
  });

  it('name the operation that never works, and leave what works without it apart', () => {
    const stuck = { exchanges: [create(refusal)], reason: 'an order was not made' };
    const all = [
      ...checks(6, 'waits', 'inconclusive', stuck),
      ...checks(6, 'lists', 'passed', { exchanges: [query(success)] }),
      check('other', 'failed', {
        exchanges: [query(success)],
        decisiveExchange: 1,
        brokenRequirement: 'orders.states.final',
      }),
    ];
    const [first, second] = told(all);
    expect(first).toEqual([
      'creating a hosted order is refused with 90001: out of order',
      '6 without a verdict',
      'waits.0',
    ]);
    expect(second?.[0]).toMatch(/^orders\.states\.final: /);
  });

  it('do not blame an operation that is refused where it should be', () => {
    const wrong = { exchanges: [create(refusal)], decisiveExchange: 1, brokenRequirement: 'orders.states.final' };
    const all = [...checks(9, 'refused', 'passed', { exchanges: [create(refusal)] }), check('a', 'failed', wrong)];
    expect(told(all)[0]?.[0]).toMatch(/^orders\.states\.final: /);
  });

  it('leave a request apart that the end of the run left open, and how long an answer was awaited', () => {
    const { response: _none, ...open } = create({});
    const unanswered = (error: string): Exchange => ({ ...open, error });
    const all = [
      ...checks(5, 'waits', 'inconclusive', { exchanges: [unanswered('it did not come within 10000 ms'), open] }),
      ...checks(5, 'shortly', 'inconclusive', {
        exchanges: [unanswered('it did not come within 500 ms; others neither'), query({}, 404)].slice(0, 1),
      }),
      check('query', 'inconclusive', {
        exchanges: [{ ...query({}), error: 'it did not come within 500 ms' }].map(({ response: _, ...rest }) => rest),
      }),
    ];
    expect(told(all)[0]?.[0]).toBe('every request is not answered in time');
  });
});

describe('the cause of a check that calls several operations of which none is ever accepted', () => {
  const missing = query({ code: '40001', message: 'there is no order' });
  const failing = create({ code: '99999', message: 'read only' });
  const stuck = checks(5, 'waits', 'inconclusive', {
    reason: 'a refusal with code 99999 (HTTP 200)',
    exchanges: [failing],
  });
  const asking = checks(5, 'asks', 'failed', { decisiveExchange: 1, exchanges: [missing] });

  it('is the operation whose answer shows the fault, and not one that was called before', () => {
    const words = check('words', 'failed', { decisiveExchange: 2, exchanges: [missing, failing] });
    const all = [
      ...stuck,
      ...asking,
      words,
      check('pays', 'failed', { exchanges: [exchange('GET', 'refunds', success)] }),
    ];
    const cause = causesOf(reportOf(all)).find((each) => each.checks.includes(words));
    expect(cause?.text).toBe('creating a hosted order is refused with 99999: read only');
  });
});
