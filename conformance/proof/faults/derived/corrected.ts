import type { RequirementId } from '../../../../generated/catalogue.ts';
import { errorCode } from '../../../contract/error-codes.ts';
import { isObject, type JsonObject } from '../../../contract/json.ts';
import { successCode } from '../../../contract/success-code.ts';
import { bodyOf, isOf, isRightlySigned, merchantIdOf, onlyFor, refusal } from '../../stand/changes.ts';
import type { Fault } from '../../stand/fault.ts';
import { type Handler, type ProxyRequest, resigned, type ServerBehind } from '../../stand/proxy.ts';

/** A server that takes the id of a create which it has refused for a used one. `isMeant` says of which refused creates. */
function keepingIdsOf(
  operation: 'orders.create' | 'checkout.create',
  isMeant: (request: ProxyRequest, server: ServerBehind) => boolean,
): Handler {
  const taken = new Set<string>();
  return onlyFor(isOf(operation), async (request, server) => {
    const key = JSON.stringify([merchantIdOf(request), bodyOf(request)?.merchantOrderId]);
    if (taken.has(key) && isRightlySigned(request, server)) {
      return refusal(request, errorCode('orders', 'ORDER_ALREADY_EXISTS'), 'the order exists already');
    }
    const answer = await server.forward(request);
    if (bodyOf(answer)?.code !== successCode && isMeant(request, server)) taken.add(key);
    return answer;
  });
}

const isOutsideRange = (request: ProxyRequest) => {
  const amount = bodyOf(request)?.orderAmount;
  return typeof amount === 'object' && amount !== null && 'value' in amount && Number(amount.value) > 1000;
};

const isWronglySigned = (request: ProxyRequest, server: ServerBehind) => !isRightlySigned(request, server);

/**
 * A server that carries out a create which it has refused before, as `right` makes it of the refused one. `isMeant` says which refused creates it
 * knows again.
 */
function acceptingAgain(
  operation: 'orders.create' | 'checkout.create' | 'refunds.create',
  isMeant: (body: JsonObject) => boolean,
  right: (body: JsonObject) => JsonObject,
): Handler {
  const seen = new Set<string>();
  return onlyFor(isOf(operation), async (request, server) => {
    const body = bodyOf(request);
    const text = request.body.toString();
    const merchant = server.merchant(merchantIdOf(request));
    if (body && merchant && seen.has(text)) {
      return server.forward(resigned({ ...request, body: Buffer.from(JSON.stringify(right(body))) }, merchant));
    }
    const answer = await server.forward(request);
    if (body && bodyOf(answer)?.code !== successCode && isMeant(body)) seen.add(text);
    return answer;
  });
}

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();
const amountOf = ({ orderAmount }: JsonObject): JsonObject => (isObject(orderAmount) ? orderAmount : {});
const priced = (changes: JsonObject) => (body: JsonObject) => ({
  ...body,
  orderAmount: { ...amountOf(body), ...changes },
});

/** Wrong servers that take a create whose like they have refused before for one that they have looked at. */
const takenAgain: readonly (readonly [
  product: 'orders' | 'checkout',
  name: string,
  words: string,
  breaks: RequirementId,
  isMeant: (body: JsonObject) => boolean,
  right: (body: JsonObject) => JsonObject,
])[] = [
  [
    'orders',
    'without-return-url',
    'without returnUrl',
    'orders.create.required-fields',
    ({ returnUrl }) => returnUrl === undefined,
    (body) => ({ ...body, returnUrl: 'https://shop.example/' }),
  ],
  [
    'orders',
    'of-other-currency',
    'in euros',
    'orders.amount.currency-values',
    (body) => amountOf(body).currency === 'EUR',
    priced({ currency: 'USDT' }),
  ],
  [
    'orders',
    'of-another-sum',
    'whose sub-merchants have another sum',
    'orders.create.sub-merchants.sum',
    ({ subMerchants }) => subMerchants !== undefined,
    ({ subMerchants: _left, ...body }) => body,
  ],
  [
    'checkout',
    'beyond-limit',
    'whose expiry lies beyond 24 hours',
    'checkout.create.expires-at.limit',
    ({ expiresAt }) => Date.parse(String(expiresAt)) > Date.now() + 86_400_000,
    (body) => ({ ...body, expiresAt: inAnHour() }),
  ],
  [
    'checkout',
    'above-range',
    'whose amount is above the greatest',
    'checkout.amount.range',
    (body) => Number(amountOf(body).value) > 1000,
    priced({ value: '20' }),
  ],
];

const acceptedAgain: readonly Fault[] = takenAgain.map(
  ([product, name, words, breaks, isMeant, right]): Fault => ({
    id: `${product}-refused-create-${name}-taken-again`,
    title: `Takes a create ${words}, which it has refused, when it is sent again.`,
    breaks,
    caughtBy: `${product}.create.corrected`,
    make: { merchantApi: acceptingAgain(`${product}.create`, isMeant, right) },
  }),
);

/** Wrong servers that remember the id of a create which they have refused. */
const rememberedIds: readonly Fault[] = (
  [
    ['hosted', 'orders', 'hosted order', isRightlySigned, 'orders.errors.refused'],
    ['checkout', 'checkout', 'checkout order', isRightlySigned, 'checkout.errors.refused'],
    [
      'wrongly-signed',
      'orders',
      'hosted order whose signature is wrong',
      isWronglySigned,
      'auth.refused-changes-nothing',
    ],
    [
      'outside-range',
      'checkout',
      'checkout order whose amount is outside the range',
      isOutsideRange,
      'checkout.errors.refused',
    ],
  ] as const
).map(
  ([name, product, what, isMeant, breaks]): Fault => ({
    id: `refused-id-stays-taken-${name}`,
    title: `Refuses a right create of a ${what.split(' whose ')[0]} under the id of one that it has refused: a ${what}.`,
    breaks,
    caughtBy: `${product}.create.corrected`,
    make: { merchantApi: keepingIdsOf(`${product}.create`, isMeant) },
  }),
);

const longTextTakenAgain: Fault = {
  id: 'orders-refused-create-of-long-description-taken-again',
  title: 'Takes a create whose description is too long, which it has refused, when it is sent again, and cuts it.',
  breaks: 'orders.create.description.length',
  caughtBy: 'orders.create.description.maxLength',
  make: {
    merchantApi: acceptingAgain(
      'orders.create',
      ({ description }) => String(description).length > 512,
      (body) => ({ ...body, description: String(body.description).slice(0, 512) }),
    ),
  },
};

/** Wrong servers to which a refused create is not as if it had never been sent. */
export const correctedFaults: readonly Fault[] = [...rememberedIds, ...acceptedAgain, longTextTakenAgain];
