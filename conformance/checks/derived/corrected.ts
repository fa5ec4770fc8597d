import { limit, type RequirementId } from '../../../generated/catalogue.ts';
import { needToldOf } from '../../arrange/authentication/passage.ts';
import { checkoutMerchant, checkoutRequest } from '../../arrange/checkout-orders/checkout-orders.ts';
import { ordersClient } from '../../arrange/orders/client.ts';
import { orderRequest } from '../../arrange/orders/orders.ts';
import type { SignedRequest } from '../../arrange/requests/signed-client.ts';
import { someAtOnce } from '../../arrange/requests/some-at-once.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectAccepted, expectRefused, isAccepted, needAccepted } from '../../check/expect.ts';
import { addDecimals, compareDecimals, subtractDecimals } from '../../contract/decimals.ts';
import type { JsonObject } from '../../contract/json.ts';
import { lengthLimit } from '../../contract/lengths.ts';
import { NotApplicable } from '../../errors/outcomes.ts';
import type { Answer } from '../../wire/exchange.ts';

const day = 86_400_000;

/** A create of one product: a right request, and what is wrong with others, in words. */
interface Creating {
  send(body: unknown): Promise<Answer>;
  /** Sends a right body in a request whose authentication is wrong. */
  sendWrongly(body: unknown, how: Pick<SignedRequest, 'timestamp' | 'sign'>): Promise<Answer>;
  /** A right request under an id of its own. */
  right(): JsonObject;
  wrong: Readonly<Record<string, Wrong>>;
}

/** How a right create becomes a wrong one, and the rule that demands its refusal. Absent: it may be refused. */
type Wrong = readonly [spoil: (right: JsonObject) => JsonObject, rule?: RequirementId];

/** What a create breaks whose authentication fails, and which has an effect all the same. */
const unauthenticated: RequirementId = 'auth.refused-changes-nothing';

/** A wrong create of a right body: the rule that demands its refusal, and what is broken where it has an effect all the same. */
interface Attempt {
  what: string;
  rule: RequirementId | undefined;
  requirement: RequirementId;
  /** How to send it, the same to the letter each time. */
  sending(body: JsonObject): () => Promise<Answer>;
}

/** Texts of a right create, and others of one that is refused, which must not be kept. */
const own = { description: 'Two tickets', metadata: '{"cart":"c-17"}' };
const withOtherTexts = (right: JsonObject): JsonObject => ({
  ...right,
  description: 'A book',
  metadata: '{"cart":"c-18"}',
});

const inDays = (context: CheckContext, days: number) => ({
  expiresAt: new Date(context.now() + days * day).toISOString(),
});

async function creatingHosted(context: CheckContext): Promise<Creating> {
  const client = ordersClient(context, await context.merchant());
  return {
    send: client.createAnything,
    sendWrongly: (body, how) =>
      client.send({ method: 'POST', path: client.createPath, body: Buffer.from(JSON.stringify(body)), ...how }),
    right: () => ({ ...orderRequest(context), ...own }),
    wrong: {
      'without returnUrl': [({ returnUrl: _left, ...others }) => others, 'orders.create.required-fields'],
      'with an amount of 0': [(right) => ({ ...right, orderAmount: { value: '0', currency: 'USDT' } })],
      'with a currency that orders are not priced in': [
        (right) => ({ ...right, orderAmount: { value: '9.50', currency: 'EUR' } }),
        'orders.amount.currency-values',
      ],
      'with a returnUrl that is none': [(right) => ({ ...right, returnUrl: 'shop' })],
      'with a description that is too long': [
        (right) => ({ ...right, description: 'd'.repeat(lengthLimit('orders', 'description', 'maxLength').limit + 1) }),
        'orders.create.description.length',
      ],
      'with an expiry that is no time': [
        (right) => ({ ...right, expiresAt: 'tomorrow' }),
        'orders.create.expires-at.form',
      ],
      'with sub-merchants whose amounts are not the total': [
        (right) => ({ ...right, subMerchants: [{ subMerchantId: 'sub-1', name: 'Shop 1', amount: '1' }] }),
        'orders.create.sub-merchants.sum',
      ],
    },
  };
}

async function creatingCheckout(context: CheckContext): Promise<Creating> {
  const { client, method } = await checkoutMerchant(context, await context.merchant());
  const priced = (value: string) => (right: JsonObject) => ({
    ...right,
    orderAmount: { value, currency: method.currency },
  });
  const leastIsHigh = compareDecimals(method.minAmount, '0.01') > 0;
  return {
    send: client.createAnything,
    sendWrongly: (body, how) =>
      client.send({ method: 'POST', path: client.createPath, body: Buffer.from(JSON.stringify(body)), ...how }),
    right: () => ({ ...checkoutRequest(context, method), ...own }),
    wrong: {
      'without network': [({ network: _left, ...others }) => others, 'checkout.create.required-fields'],
      'with an amount of 0': [priced('0'), 'checkout.amount.positive'],
      'with an amount above the greatest': [priced(addDecimals([method.maxAmount, '1'])), 'checkout.amount.range'],
      ...(leastIsHigh && {
        'with an amount below the least': [
          priced(subtractDecimals(method.minAmount, '0.01')),
          'checkout.amount.range',
        ] satisfies Wrong,
      }),
      'with a network that nobody knows': [(right) => ({ ...right, network: 'nowhere' }), 'checkout.create.network'],
      'with another way to pay': [
        (right) => ({ ...right, paymentMethodType: 'CASH' }),
        'checkout.create.payment-method-type',
      ],
      'with an expiry in the past': [
        (right) => ({ ...right, ...inDays(context, -1) }),
        'checkout.create.expires-at.future',
      ],
      'with an expiry beyond the limit': [
        (right) => ({ ...right, ...inDays(context, 2) }),
        'checkout.create.expires-at.limit',
      ],
    },
  };
}

const correcting = (
  product: 'orders' | 'checkout',
  noun: string,
  begin: (context: CheckContext) => Promise<Creating>,
): CheckDeclaration => ({
  id: `${product}.create.corrected`,
  title: `A create of a ${noun} that was refused is refused again, and leaves its id free for the same create, put right`,
  requirements: [`${product}.errors.refused`, unauthenticated],
  async run(context) {
    const { send, sendWrongly, right, wrong } = await begin(context);
    needAccepted(await send(right()), 'a right create');
    const refused: RequirementId = `${product}.errors.refused`;
    const attempts: readonly Attempt[] = [
      ...Object.entries(wrong).map(([what, [spoil, rule]]) => ({
        ...{ what, rule, requirement: refused },
        sending: (body: JsonObject) => {
          const spoiled = spoil(withOtherTexts(body));
          return () => send(spoiled);
        },
      })),
      {
        ...{ what: 'with a timestamp that is too old', rule: 'auth.timestamp.window', requirement: unauthenticated },
        sending: (body: JsonObject) => {
          const timestamp = String(context.now() - 2 * limit('auth.timestamp.window', 'max'));
          return () => sendWrongly(withOtherTexts(body), { timestamp });
        },
      },
      {
        ...{ what: 'with a wrong signature', rule: 'auth.required', requirement: unauthenticated },
        sending: (body: JsonObject) => () =>
          sendWrongly(withOtherTexts(body), { sign: () => 'A'.repeat(43).concat('=') }),
      },
    ];
    const judged = await someAtOnce(attempts, async ({ what, rule, requirement, sending }) => {
      const body = right();
      const sendWrong = sending(body);
      // Other checks judge whether it is refused.
      if (isAccepted(await sendWrong())) return false;
      if (rule !== undefined) {
        expectRefused(await sendWrong(), `the same create ${what}, which was refused, sent again`, rule);
      }
      const corrected = await send(body);
      if (requirement === unauthenticated) needToldOf(corrected, 'a create, put right');
      expectAccepted(corrected, `a right create under the id of one ${what}, which was refused`, requirement);
      return true;
    });
    if (!judged.includes(true)) throw new NotApplicable('none of the wrong creates was refused');
  },
});

/** Checks that what was refused is as if it had never been sent: the same create is refused again and, put right, is the first one under its id. */
export const correctedChecks: readonly CheckDeclaration[] = [
  correcting('orders', 'hosted order', creatingHosted),
  correcting('checkout', 'checkout order', creatingCheckout),
];
