import { expect, test } from 'vitest';
import { orderOf } from '../tests/support/contract.ts';
import { control, merchantClient, newMerchant } from '../tests/support/server.ts';
import { sharedServer } from '../tests/support/shared-server.ts';

const server = await sharedServer();
const merchant = merchantClient(server, await newMerchant(server));

test.each(['*', '"anything"'])('If-None-Match: %s changes no answer of an operation', async (condition) => {
  const order = await merchant.create();
  const answer = await merchant.get(order.orderId, { headers: { 'If-None-Match': condition } });
  expect(answer.status).toBe(200);
  expect(orderOf(answer)).toEqual(order);
});

test('nor one of the control API', async () => {
  const headers = { Authorization: `Bearer ${server.controlToken}`, 'If-None-Match': '*' };
  expect((await control(server, 'GET', '/', undefined, headers)).status).toBe(200);
});
