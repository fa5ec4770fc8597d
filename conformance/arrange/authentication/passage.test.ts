import { expect, it } from 'vitest';
import type { Answer } from '../../wire/exchange.ts';
import { passageOf } from './passage.ts';

const answer = (status: number, json?: unknown): Answer => ({
  exchange: 1,
  status,
  headers: {},
  text: json === undefined ? '<h1>It works!</h1>' : JSON.stringify(json),
  json,
});

it.each([
  ['a success', answer(200, { code: '00000' }), 'accepted'],
  ['a hosted order that there is not', answer(200, { code: '40001' }), 'let-through'],
  ['a refund that there is not', answer(404, { code: 'REFUND_NOT_FOUND' }), 'let-through'],
  ['an order that was not paid', answer(400, { code: 'ORDER_NOT_REFUNDABLE' }), 'let-through'],
  ['a system error of hosted orders', answer(200, { code: '99999' }), 'failed'],
  ['a system error of refunds', answer(500, { code: 'SYSTEM_ERROR' }), 'failed'],
  ['a failure without a code', answer(500, { error: 'OutOfMemoryError' }), 'failed'],
  ['a body that is too long', answer(413), 'failed'],
  ['too many requests', answer(429, { code: 'RATE_LIMIT_EXCEEDED' }), 'failed'],
  ['a page', answer(200), 'foreign'],
  ['a code that is no text', answer(200, { code: 40001 }), 'foreign'],
  ['a page that asks who it is', answer(401), 'refused'],
  ['a wrong signature', answer(200, { code: '90001' }), 'refused'],
  ['a wrong parameter, which a header may be', answer(200, { code: '10001' }), 'refused'],
  ['a code that the contract does not name', answer(200, { code: '90004' }), 'refused'],
  // Some servers have one code for each HTTP status.
  ['a code of another cause with the status of authentication', answer(401, { code: 'ORDER_NOT_FOUND' }), 'refused'],
] as const)('what an answer says of the authentication of its request: %s', (_, given, passage) => {
  expect(passageOf(given)).toBe(passage);
});
