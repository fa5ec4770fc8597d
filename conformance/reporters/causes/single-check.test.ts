import { describe, expect, it } from 'vitest';
import { merchantLost } from '../../text/reasons.ts';
import { check, checks, create, query, refusal, success, told } from './testing/reports.ts';

describe('the causes of a report', () => {
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
});
