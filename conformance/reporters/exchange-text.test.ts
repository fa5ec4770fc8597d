import { expect, it } from 'vitest';
import type { Exchange } from '../wire/exchange.ts';
import { exchangeTitle, requestTitle } from './exchange-text.ts';

const exchangeWith = (body: string): Exchange => ({
  request: { method: 'POST', url: 'https://pay.example/api/orders?a=b', headers: {}, body },
  durationMs: 5,
  error: 'the connection was lost',
});

it('the line of a request gives the size of a body that a report does not show whole', () => {
  expect(requestTitle(exchangeWith('{}'))).toBe('POST /api/orders?a=b');
  expect(exchangeTitle(exchangeWith('{"items": [… (71204 characters)'))).toBe(
    'POST /api/orders?a=b with a body of 71204 characters → the connection was lost',
  );
});
