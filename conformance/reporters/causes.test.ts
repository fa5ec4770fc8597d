import { describe, expect, it } from 'vitest';
import type { CheckReport, Report } from '../run/report.ts';
import { merchantLost } from '../text/reasons.ts';
import type { Exchange } from '../wire/exchange.ts';
import { causesOf, countsOf, fixFirst } from './causes.ts';

const target = 'https://sandbox.example.com/pay';
const success = { code: '00000', data: { orderId: 'o-1' } };
const refusal = { code: '90001', message: 'out of order' };

function exchange(method: string, path: string, body: unknown, status = 200): Exchange {
  const request = { method, url: `${target}/api/v1/merchants/M-1/${path}`, headers: {}, body: '' };
  return { request, response: { status, headers: {}, body: JSON.stringify(body) }, durationMs: 1 };
}
const create = (body: unknown, status?: number) => exchange('POST', 'orders', body, status);
const query = (body: unknown, status?: number) => exchange('GET', 'orders/o-1', body, status);

function check(id: string, verdict: CheckReport['verdict'], rest: Partial<CheckReport> = {}): CheckReport {
  return {
    ...{ id, title: id, area: 'orders', level: 'MUST', requirements: [], verdict, reason: null, message: null },
    ...{ expected: null, actual: null, brokenRequirement: null, decisiveExchange: null, durationMs: 1, exchanges: [] },
    ...rest,
  };
}
const checks = (count: number, ...[id, verdict, rest]: Parameters<typeof check>) =>
  Array.from({ length: count }, (_, index) => check(`${id}.${index}`, verdict, rest));

const reportOf = (all: CheckReport[]) => ({ target, checks: all }) as Report;
const told = (all: CheckReport[]) =>
  causesOf(reportOf(all)).map((cause) => [cause.text, countsOf(cause), cause.shownBy.id]);

describe('the causes of a report', () => {
  it('are none where nothing is wrong', () => {
    expect(told([check('a', 'passed'), check('b', 'skipped'), check('c', 'observed')])).toEqual([]);
  });

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

  it('are one where all refusals of an area have one HTTP status, and checks want others', () => {
    const refund = (code: string, status = 200) => exchange('POST', 'refunds', { code, message: 'no' }, status);
    const shows = (id: string, code: string, expected: string, brokenRequirement: CheckReport['brokenRequirement']) =>
      check(id, 'failed', {
        ...{ exchanges: [refund(code), refund(code)], decisiveExchange: 2, expected, actual: 'HTTP 200' },
        brokenRequirement,
      });
    const all = [
      shows('signed', 'INVALID_SIGNATURE', 'refused with HTTP 401', 'auth.refunds-401'),
      shows('business', 'ORDER_NOT_REFUNDABLE', 'a refund: HTTP 400', 'refunds.errors.business'),
      shows('words', 'ORDER_NOT_REFUNDABLE', 'message is text', 'refunds.errors.business'),
      check('accepted', 'passed', { exchanges: Array.from({ length: 9 }, () => exchange('POST', 'refunds', success)) }),
    ];
    const text = 'every refusal by the operations of refunds has HTTP 200, whatever its code';
    expect(told(all)[0]).toEqual([text, '2 failed', 'signed']);
    const other = check('right', 'passed', { exchanges: [refund('INVALID_SIGNATURE', 401)] });
    expect(told([...all, other]).map(([each]) => each)).not.toContain(text);
  });

  it('begin with an id that two things have, because other findings may be about the wrong one of them', () => {
    const all = [
      ...checks(3, 'follows', 'failed', { brokenRequirement: 'refunds.record.amount', message: 'wrong amount' }),
      check('refunds.query.identity.platform-id', 'failed', { brokenRequirement: 'refunds.record.platform-id' }),
    ];
    expect(causesOf(reportOf(all)).map(({ shownBy }) => shownBy.id)).toEqual([
      'refunds.query.identity.platform-id',
      'follows.0',
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

  it('are the call whose refusal the reason tells of, where other calls were refused after it', () => {
    const exchanges = [create(success), create({ code: '10001' }), query({ code: '40001' })];
    const reason = 'the same create was not accepted: a refusal with code 10001 (HTTP 200): too many places';
    expect(told([check('waits', 'inconclusive', { reason, exchanges }), ...checks(9, 'a', 'passed')])).toEqual([
      ['creating a hosted order is refused with 10001, in some requests', '1 without a verdict', 'waits'],
    ]);
  });

  it('are the call without an answer that the reason tells of, where others beside it were refused', () => {
    const error = 'the connection was closed (ECONNRESET)';
    const { response: _none, ...unanswered } = create({});
    const exchanges = [create(success), { ...unanswered, error }, create({ code: '90002' })];
    const all = [
      check('waits', 'inconclusive', { reason: `no answer: ${error}`, exchanges }),
      ...checks(9, 'a', 'passed'),
    ];
    expect(told(all)).toEqual([
      [
        'creating a hosted order is not answered (the connection was closed), in some requests',
        '1 without a verdict',
        'waits',
      ],
    ]);
  });

  it('are the gateway that answered now and then, whatever other calls were refused with', () => {
    const reason = "a gateway answered in place of the target: HTTP 503 without the contract's envelope";
    const exchanges = [create(success), query({ code: '40001' })];
    const all = [check('waits', 'inconclusive', { reason, exchanges }), ...checks(9, 'a', 'passed')];
    expect(told(all)).toEqual([
      ['a gateway answered in place of the target, in some requests', '1 without a verdict', 'waits'],
    ]);
  });

  it('are the requirement that an answer breaks, for the checks that it stops too', () => {
    const stopped = { reason: 'the answer breaks the contract', brokenRequirement: 'checkout.payment-methods.bounds' };
    const all = [
      ...checks(3, 'waits', 'inconclusive', { ...stopped, exchanges: [query(success)] }),
      check('shows', 'failed', { brokenRequirement: 'checkout.payment-methods.bounds' }),
      check('other', 'failed', { brokenRequirement: 'orders.states.final' }),
    ];
    const [[text, counts, shownBy] = []] = told(all);
    expect(text).toMatch(/^checkout\.payment-methods\.bounds: /);
    expect([counts, shownBy]).toEqual(['1 failed, 3 without a verdict', 'shows']);
    expect(causesOf(reportOf(all))[0]?.everything).toBe(false);
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

  it('are a restart after which merchants were lost, and not the answer that shows it', () => {
    const reason = `${merchantLost}: a refusal with code 90001 (HTTP 200)`;
    expect(told(checks(3, 'restarts', 'inconclusive', { reason, exchanges: [create(refusal)] }))).toEqual([
      [merchantLost, '3 without a verdict', 'restarts.0'],
    ]);
  });

  it('are the step that failed, with names and numbers apart, and the requirement that is broken', () => {
    const steps = [
      check('a', 'inconclusive', { reason: 'the order asy-17 did not expire', exchanges: [query(success)] }),
      check('b', 'inconclusive', { reason: 'the order asy-18 did not expire', exchanges: [query(success)] }),
      check('c', 'warned', { brokenRequirement: 'orders.states.final' }),
    ];
    expect(told(steps).map(([text, counts]) => [text?.slice(0, 21), counts])).toEqual([
      ['the order asy-17 did ', '2 without a verdict'],
      ['orders.states.final: ', '1 warned'],
    ]);
  });

  it('begin with the one that keeps most checks from passing; known failures and warnings keep none', () => {
    const baseline = { reason: 'ticket 4711' };
    const all = [
      ...checks(5, 'known', 'failed', { brokenRequirement: 'orders.states.final', baseline }),
      ...checks(5, 'warned', 'warned', { brokenRequirement: 'orders.view.times' }),
    ];
    expect(fixFirst(causesOf(reportOf(all)))).toBeUndefined();
    const one = check('one', 'failed', { brokenRequirement: 'orders.view.echo' });
    expect(fixFirst(causesOf(reportOf([...all, one])))?.shownBy.id).toBe('one');
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

  it('are one where no webhook has come, unless only few checks wait for one', () => {
    const moved = exchange('POST', 'clock', {});
    const request = { ...moved.request, headers: { 'User-Agent': 'assay (run 1; check a)' } };
    const silent = { area: 'webhooks', exchanges: [{ ...moved, request }] };
    const waiting = checks(5, 'waits', 'inconclusive', { ...silent, reason: 'a webhook did not come' });
    const [cause] = causesOf(reportOf(waiting));
    expect([cause?.text, cause?.onTheWay]).toEqual(['no webhook has come to any address that was named for one', true]);
    expect(told(waiting.slice(1))[0]?.[0]).toBe('a webhook did not come');
    const heard = check('heard', 'passed', { exchanges: [exchange('POST', 'hook', {})] });
    expect(told([...waiting, heard])[0]?.[0]).toBe('a webhook did not come');
  });

  it('are one where the run was stopped, which is nothing to mend in the target', () => {
    const reason = 'the run was stopped before the check ended: it was ended by SIGINT';
    const atLimit = 'the run stops: the run has made as many orders as limits.maxOrders allows, 60';
    const limited = [check('limited', 'inconclusive', { reason: atLimit, exchanges: [create(refusal)] })];
    expect(told(limited)).toEqual([[atLimit, '1 without a verdict', 'limited']]);
    expect(fixFirst(causesOf(reportOf(limited)))).toBeUndefined();
    const all = [
      check('open', 'inconclusive', { reason, exchanges: [create(refusal)] }),
      check('other', 'inconclusive', { reason, exchanges: [query(success)] }),
    ];
    expect(told(all)).toEqual([[reason, '2 without a verdict', 'open']]);
    expect(fixFirst(causesOf(reportOf(all)))).toBeUndefined();
  });

  it('are one where the run was stopped because the target answered nothing any more', () => {
    const reason = 'the target has answered nothing for 40 s, and left 30 requests waiting; see whether it still runs';
    const waiting = [
      check('cut', 'inconclusive', { reason: `the run was stopped before the check ended: ${reason}` }),
      check('late', 'inconclusive', {
        reason: 'no answer to GET /a: it did not come within 10000 ms',
        exchanges: [query(success)],
      }),
    ];
    const report = { ...reportOf(waiting), stopped: { reason, notRun: [] } };
    expect(causesOf(report).map((cause) => [cause.text, countsOf(cause)])).toEqual([[reason, '2 without a verdict']]);
    expect(fixFirst(causesOf(report))?.text).toBe(reason);
  });

  it('lead to an examination of the target where requests are refused for their authentication', () => {
    const asked = (code: string) => [
      ...checks(5, 'waits', 'inconclusive', { exchanges: [create({ ...refusal, code })] }),
      ...checks(5, 'passes', 'passed', { exchanges: [query(success)] }),
    ];
    const onTheWay = (code: string) => causesOf(reportOf(asked(code)))[0]?.onTheWay;
    expect([onTheWay('90001'), onTheWay('10001')]).toEqual([true, false]);
  });

  it('lead to it where only some right requests are so refused, but not for one form of them', () => {
    const works = checks(9, 'passes', 'passed', { exchanges: [create(success), query(success)] });
    const step = {
      reason: 'an order was not made: a refusal with code 90001 (HTTP 200)',
      exchanges: [create(refusal)],
    };
    const [waits] = causesOf(reportOf([check('waits', 'inconclusive', step), ...works]));
    expect([waits?.text, waits?.onTheWay]).toEqual([
      'creating a hosted order is refused with 90001, in some requests',
      true,
    ]);
    const onTheWay = (id: string, area: CheckReport['area'], expected: string) => {
      const shown = { exchanges: [create(refusal)], decisiveExchange: 1, area, expected };
      return causesOf(reportOf([check(id, 'failed', shown), ...works]))[0]?.onTheWay;
    };
    expect(onTheWay('orders.create.minimal', 'orders', 'an order: code = 00000')).toBe(true);
    expect(onTheWay('auth.orders.create.signed', 'auth', 'code = 00000')).toBe(true);
    expect(onTheWay('auth.orders.create.headers', 'auth', 'code = 00000')).toBe(false);
    expect(onTheWay('orders.create.amount', 'orders', 'code = 10001')).toBe(false);
  });

  it('show no character of a target that a terminal acts on', () => {
    const shown = told([check('a', 'inconclusive', { reason: '\u001b[2J\nforged' })])[0]?.[0];
    expect(shown).toBe('\\u{1b}[2J\\u{a}forged');
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

  it('is shown by a short check of its area', () => {
    const made = [create(success), query(success)];
    const rest = { brokenRequirement: 'orders.view.amounts', exchanges: made };
    const all = [
      check('orders.exploration', 'failed', { ...rest, exchanges: made.slice(1) }),
      check('refunds.create.minimal', 'failed', { ...rest, area: 'refunds', exchanges: made.slice(1) }),
      check('orders.create.minimal', 'failed', rest),
    ];
    expect(causesOf(reportOf(all)).map(({ shownBy }) => shownBy.id)).toEqual(['orders.create.minimal']);
  });
});

it('a webhook is not the cause of a check that waits for something else', () => {
  const reason = 'there is no list of payment methods: a success, code = 00000 (HTTP 200)';
  const methods = exchange('GET', 'checkout/payment-methods', { code: '00000', data: [] });
  const all = checks(6, 'webhooks.a', 'inconclusive', { area: 'webhooks', reason, exchanges: [methods] });
  expect(causesOf(reportOf(all)).map(({ text }) => text)).not.toContain(
    'no webhook has come to any address that was named for one',
  );
});
