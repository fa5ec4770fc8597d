import type { CheckContext } from '../../check/context.ts';
import { isAccepted } from '../../check/expect.ts';
import { fieldErrorCodes, isNamedCode } from '../../contract/error-codes.ts';
import type { JsonObject } from '../../contract/json.ts';
import type { OperationArea } from '../../contract/operations.ts';
import { type Answer, field } from '../../wire/exchange.ts';
import type { CheckoutOrderCreateRequest } from '../checkout-orders/client.ts';
import type { OrderCreateRequest } from '../orders/client.ts';
import { ticket } from '../orders/optional-fields.ts';
import type { RefundCreateRequest } from '../refunds/client.ts';
import { everyWay, plainly, type WayToSend } from './ways-to-send.ts';

/** The lengths of a short and of a long id. Checks make shorter and longer ones of it, which must be possible as well. */
const [shortId, longId] = [20, 50];

// What is made for a check to look at differs in what does not matter to it, so that a fault is met that shows only beside a further field, or with an
// unusual text. Each check has choices of its own, the same in every run.

/** What chooses among what is alike to a check, as its context does. */
export type Chooser = Pick<CheckContext, 'choose' | 'newOrderId' | 'isThrifty'>;

/** Fields of a create, one of which is chosen. Most creates have none of them. */
type Choices<Request> = readonly [Partial<Request>, ...Partial<Request>[]];
const none = [{}, {}, {}] as const;

/** Texts with what is escaped in JSON, in HTML, in addresses or in statements of a database. */
export const markedText = `It's "10%" off <b>& more</b>; C:\\temp\\x + y=z`;
const markedJson = JSON.stringify({ note: markedText, list: [1, '2', { deep: [null, true] }] });

/** JSON of a merchant's own whose members are called as fields of the contract. It names no status, so that none is read in a webhook that shows it. */
const namesOfOurs = JSON.stringify({
  cart: 'c-17',
  status: 'unknown',
  callbackUrl: 'https://shop.example/elsewhere',
  orderAmount: { value: '1', currency: 'USD' },
  metadata: '{}',
});

const customers = [
  { customer: { customerId: 'c-1' } },
  { customer: { email: "o'neil+shop@shop.example", name: "Ada O'Neil" } },
];

/** Text with letters beyond ASCII, and beyond 16 bits, which a target may refuse. The create is then sent without it. */
export const foreignText = 'Zażółć gęślą jaźń, 税込 🧾';

/** Fields that both products have. */
const ofBoth = [
  [...none, ...['Two tickets', markedText, 'd'.repeat(300), foreignText].map((description) => ({ description }))],
  [...none, { metadata: namesOfOurs }, { metadata: markedJson }, { metadata: ' { "spaces": [ ], "number": 1.50 } ' }],
  [...none, { userAgent: 'Mozilla/5.0 (X11; Linux x86_64)' }, { userAgent: markedText }],
  [...none, { customerIp: '198.51.100.7' }, { customerIp: '2001:db8::1' }],
  [...none, ...customers],
] as const;

const ofHostedOrders: readonly Choices<OrderCreateRequest>[] = [
  ...ofBoth,
  [
    ...none,
    { paymentMethodConfig: null },
    { paymentMethodConfig: { allowedPaymentMethodTypes: [], allowedPaymentMethods: null } },
    { paymentMethodConfig: { allowedPaymentMethodTypes: ['ON_CHAIN_TRANSFER', 'EXCHANGE_TRANSFER'] } },
  ],
  [{}, { returnUrl: 'https://shop.example/return?order=7&of=%20x' }, { returnUrl: 'http://shop.example:8080/a/b' }],
];

const priced = (value: string) => ({ orderAmount: { value, currency: 'USDT' } }) as const;

/**
 * Those of hosted orders in USDT: a target may want items in the currency of their order. The price is the ordinary one in another form, since checks may
 * pay what that is.
 */
const inUsdt: readonly Choices<OrderCreateRequest>[] = [
  [...none, priced('9.5'), priced('9.500')],
  [
    ...none,
    ...[
      [],
      [ticket],
      [ticket, { ...ticket, name: markedText, quantity: 1 }],
      Array.from({ length: 120 }, () => ticket),
    ].map((items) => ({ items })),
  ],
];

/** Those of checkout orders, whose items are priced in their currency. */
const ofCheckoutOrders = (currency: string): readonly Choices<CheckoutOrderCreateRequest>[] => [
  ...ofBoth,
  [
    ...none,
    { items: [] },
    {
      items: [
        { name: 'Ticket', quantity: 2 },
        { name: markedText, quantity: 1 },
      ],
    },
    {
      items: [
        { name: 'Ticket', quantity: 2, price: '4.75', currency },
        { name: markedText, quantity: 3, price: '1', currency },
      ],
    },
  ],
];

const ofRefunds: readonly Choices<RefundCreateRequest>[] = [
  [{}, ...[markedText, 'Damaged', 'r'.repeat(300), foreignText].map((refundReason) => ({ refundReason }))],
];

/** The same choices, of which most have a field. */
const mostlyGiven = <Request>(choices: Choices<Request>): Choices<Request> => [
  {},
  ...choices.filter((fields) => Object.keys(fields).length > 0),
];

function chosen<Request>(context: Chooser, fields: readonly Choices<Request>[]): Partial<Request> {
  const all: Partial<Request> = {};
  for (const choices of fields) Object.assign(all, context.choose(choices));
  return all;
}

/** An id of as many characters, each of which is a digit. */
export const inDigits = (id: string): string =>
  [...id].map((character) => String((character.codePointAt(0) ?? 0) % 10)).join('');

/** An id of the merchant's own in another form than the usual ones. */
function otherId(context: Chooser): string {
  const id = context.newOrderId();
  return context.choose([
    id,
    ...[id, id, `${id}_`, `_${id}`, `-${id}-Z`, `${id}_-Aq7`.padEnd(longId, 'q'), `ref_${id}`, `ord-${id}`],
    // A check's ids differ in their last characters.
    ...[id.slice(-shortId), `0${inDigits(id).slice(1 - shortId)}`],
  ]);
}

/** The same moment, to the second where it is known to the millisecond. */
function otherExpiry(context: Chooser, expiresAt: string): string {
  return context.choose([expiresAt, expiresAt, expiresAt.replace(/\.\d+(?=Z$)/, '')]);
}

/** Fields of a create of a hosted order that differ from the usual ones. Every target takes them. */
export const furtherHostedFields = (
  context: Chooser,
  expiresAt: string,
  currency: OrderCreateRequest['orderAmount']['currency'] = 'USDT',
): Partial<OrderCreateRequest> => ({
  ...chosen(context, currency === 'USDT' ? [...ofHostedOrders, ...inUsdt] : ofHostedOrders),
  merchantOrderId: otherId(context),
  expiresAt: otherExpiry(context, expiresAt),
});

/** The same of a create of a checkout order. */
export const furtherCheckoutFields = (
  context: Chooser,
  expiresAt: string,
  currency = 'USDT',
): Partial<CheckoutOrderCreateRequest> => ({
  ...chosen(context, ofCheckoutOrders(currency)),
  merchantOrderId: otherId(context),
  expiresAt: otherExpiry(context, expiresAt),
});

/** The same of a create of a refund. */
export const furtherRefundFields = (context: Chooser): Partial<RefundCreateRequest> => ({
  ...chosen(context, ofRefunds),
  merchantRefundOrderId: otherId(context),
});

const furtherDigits = (expiresAt: string) =>
  expiresAt.replace(/(\.\d+)?Z$/, (_, fraction = '.') => `${fraction.padEnd(8, '0')}Z`);

/** What a create may say of who may pay. It is not asked of one that is to be paid. */
const payers: Choices<OrderCreateRequest> = [
  {},
  {},
  { paymentMethodConfig: { allowedPaymentMethodTypes: ['ON_CHAIN_TRANSFER'] } },
  { paymentMethodConfig: { allowedPaymentMethodTypes: ['EXCHANGE_TRANSFER'] } },
  {
    paymentMethodConfig: { allowedPaymentMethodTypes: ['EXCHANGE_TRANSFER'], allowedPaymentMethods: ['EXCHANGE_ONE'] },
  },
];

const aroundIn: Readonly<Record<string, (context: Chooser, expiresAt: string) => JsonObject>> = {
  'orders.create': (context, expiresAt) => ({
    ...chosen(context, [...[...ofHostedOrders, ...inUsdt].map(mostlyGiven), payers]),
    merchantOrderId: otherId(context),
    // With which code a hosted order is refused is open, so that a time which a target need not take may stand there too.
    expiresAt: context.choose([
      otherExpiry(context, expiresAt),
      furtherDigits(expiresAt),
      expiresAt.replace(/Z$/, '+00:00'),
    ]),
  }),
  'checkout.create': (context, expiresAt) => ({
    ...chosen(context, ofCheckoutOrders('USDT').map(mostlyGiven)),
    merchantOrderId: otherId(context),
    expiresAt: otherExpiry(context, expiresAt),
  }),
  'refunds.create': (context) => ({
    ...chosen(context, ofRefunds.map(mostlyGiven)),
    merchantRefundOrderId: otherId(context),
  }),
};

/**
 * Fields of a create, of more kinds than in one that is to be accepted, to stand around a value that must be refused: a rule may be forgotten beside any of them.
 * `operation`: its name; one that makes nothing has none.
 */
export function fieldsAround(context: Chooser, operation: string, expiresAt: unknown): JsonObject {
  return aroundIn[operation]?.(context, String(expiresAt)) ?? {};
}

/** How a create is made. */
interface Creation<Request> {
  area: OperationArea;
  /** Fields that differ from the usual ones. */
  further: Partial<Request>;
  requestWith(further: Partial<Request>): Request;
  create(request: Request, way?: WayToSend): Promise<Answer>;
}

/**
 * The answer to a create with further fields, sent in one way or another, and the request. Where the target refuses it for a field, or refuses it in
 * another way to send it, the create is sent plainly and without them, so that a fault with one of them keeps no check from what it is for; the rules
 * over the whole run judge the refusal (`right-creates`). Now and then the create is sent once more, as a merchant does whose connection broke. Other
 * checks judge how that is answered.
 */
export async function createWith<Request>(
  { choose, isThrifty }: Pick<Chooser, 'choose' | 'isThrifty'>,
  { area, further, requestWith, create }: Creation<Request>,
): Promise<{ request: Request; created: Answer }> {
  const request = requestWith(further);
  const way = choose([plainly, plainly, choose(everyWay)]);
  const created = await create(request, way);
  const code = field(created, 'code');
  const isOfFields = typeof code === 'string' && fieldErrorCodes[area].includes(code);
  const isOfWay = way !== plainly && (created.status >= 400 || (typeof code === 'string' && isNamedCode(code)));
  if (isOfFields || (isOfWay && !isAccepted(created))) {
    const plain = requestWith({});
    return { request: plain, created: await create(plain) };
  }
  const isRepeated = choose([false, false, false, false, false, false, false, false, false, true]);
  // A hosted create that comes again may make another order (open point `orders-duplicate-id`).
  if (isRepeated && area !== 'orders' && isAccepted(created) && !isThrifty) await create(request, way);
  return { request, created };
}
