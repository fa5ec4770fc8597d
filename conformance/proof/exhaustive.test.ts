import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OpenPointId } from '../../generated/catalogue.ts';
import { allChecks } from '../checks/index.ts';
import { setAt, valueAt } from '../contract/json.ts';
import { isOf, onlyFor, refusing, refusingCreates } from './stand/changes.ts';
import type { Handler } from './stand/proxy.ts';
import { openStand, patience, type Stand } from './stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
});
afterAll(() => stand.close());

/** What one check says of a server. */
async function judged(id: string, merchantApi: Handler) {
  const checks = allChecks.filter((check) => check.id === id);
  const { results } = await stand.judge({ merchantApi }, checks, patience);
  return results.map(({ verdict, expected, actual }) => ({ verdict, expected, actual }));
}

/** A server that refuses checkout creates with another code where the reference server has `code`. */
const recoding = (code: string, other: string): Handler =>
  onlyFor(
    isOf('checkout.create'),
    refusing((envelope) => (envelope.code === code ? { ...envelope, code: other } : envelope)),
  );

/** A server that shows a text of its own where it could not read an id. */
const namingUnread: Handler = refusing((envelope) =>
  valueAt(envelope, ['data', 'merchantOrderId']) === null
    ? setAt(envelope, ['data', 'merchantOrderId'], 'unreadable')
    : envelope,
);

it.each<[OpenPointId, string, Handler]>([
  ['checkout-amount-range', 'checkout.create.amount.outside-range', recoding('10004', '10005')],
  ['checkout-expiry-limit', 'checkout.create.expires-at.beyond-limit', recoding('10005', '10004')],
  ['failure-envelope-ids', 'orders.errors.unreadable-request', namingUnread],
])('an answer that is none of the values of %s warns', async (openPoint, id, merchantApi) => {
  const [result] = await judged(id, merchantApi);
  expect(result).toMatchObject({ verdict: 'warned', expected: expect.stringContaining(`${openPoint} is one of `) });
});

it('is only observed where the values of the point are not all that is permitted', async () => {
  const refusingZero = refusingCreates(({ subMerchants }) =>
    [subMerchants].flat().some((part) => String(Object(part).settlementRatio) === '0'),
  );
  const results = await judged('orders.create.sub-merchants.settlement-ratio-edges', refusingZero);
  expect(results).toMatchObject([{ verdict: 'observed' }]);
});
