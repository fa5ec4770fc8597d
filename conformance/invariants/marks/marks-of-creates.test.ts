import { expect, it } from 'vitest';
import { readBook } from '../book.ts';
import { history, orderView, paths, request, success } from '../testing/histories.ts';
import { marksOf } from './marks-of-creates.ts';

/** The marks of a create of a hosted order with these fields. */
function marks(sent: object, headers: Record<string, string> = {}): string[] {
  const [create] = readBook(
    history(request({ method: 'POST', path: paths.orders, sent, headers, answered: success(orderView()) })),
  ).exchanged;
  return create ? [...marksOf(create)] : [];
}

it.each<[string, object, string[]]>([
  [
    'an ordinary one',
    { merchantOrderId: 'order-00000000000001', expiresAt: '2026-01-01T11:00:00.250Z' },
    ['an id of 20 characters or fewer'],
  ],
  ['fields', { description: 'Two', items: [{ name: 'Tea' }] }, ['description', 'items']],
  [
    'values that stand for none',
    { items: [], paymentMethodConfig: null },
    ['items = []', 'paymentMethodConfig = null'],
  ],
  ['fields of fields', { customer: { email: 'a@b.example' } }, ['customer', 'customer.email']],
  [
    'a choice, beside what stands in every create,',
    { orderAmount: { value: '1', currency: 'USD' }, paymentMethodType: 'ON_CHAIN_TRANSFER' },
    ['orderAmount.currency = USD'],
  ],
  [
    'unusual texts',
    { description: `"${'d'.repeat(300)}` },
    ['description', 'description of 300 characters or more', 'a quotation mark in description'],
  ],
  ['a time', { expiresAt: '2026-01-01T11:00:00Z' }, ['an expiresAt in whole seconds']],
  ['an id of digits', { merchantOrderId: '012345678901234567890' }, ['an id of digits']],
  [
    'the beginning of an id',
    { merchantOrderId: `-${'a'.repeat(60)}` },
    ['an id that begins with -', 'an id of 50 characters or more'],
  ],
])('are %s', (_, sent, expected) => {
  expect(marks(sent)).toEqual(expected);
});

it('are how it was written', () => {
  const sent = { merchantOrderId: 'order-0000000000000001' };
  expect(marks(sent, { 'X-TIMESTAMP': '1', 'CONTENT-TYPE': 'application/json' })).toEqual(['header names in capitals']);
  expect(marks(sent, { 'Content-Type': 'application/json; charset=utf-8', Traceparent: '00' })).toEqual([
    'a charset in its Content-Type',
    'headers of tracers and proxies',
  ]);
});

it('are few of a body without an end', () => {
  let deep: object = {};
  for (let depth = 0; depth < 2000; depth += 1) deep = { deep };
  expect(marks({ deep, [`${'long'.repeat(20)}`]: 1 })).toEqual(['deep', 'deep.deep']);
});
