import type { CheckContext } from '../../check/context.ts';
import { fieldErrorCodes } from '../../contract/error-codes.ts';
import type { OperationArea } from '../../contract/operations.ts';
import { type Answer, field } from '../../wire/exchange.ts';
import type { CheckoutOrderCreateRequest } from '../checkout-orders/client.ts';
import type { OrderCreateRequest } from '../orders/client.ts';
import { ticket } from '../orders/optional-fields.ts';
import type { RefundCreateRequest } from '../refunds/client.ts';

// What is made for a check to look at differs in what does not matter to it, so that a fault is met that shows only beside a further field, or with an
// unusual text. Each check has choices of its own, the same in every run.

/** Fields of a create, one of which is chosen. Most creates have none of them. */
type Choices<Request> = readonly [Partial<Request>, ...Partial<Request>[]];
const none = [{}, {}, {}] as const;

/** Texts with what is escaped in JSON, in HTML, in addresses or in statements of a database. */
const markedText = `It's "10%" off <b>& more</b>; C:\\temp\\x + y=z`;
const markedJson = JSON.stringify({ note: markedText, list: [1, '2', { deep: [null, true] }] });

const customers = [
  { customer: { customerId: 'c-1' } },
  { customer: { email: "o'neil+shop@shop.example", name: "Ada O'Neil" } },
];

/** Fields that both products have. */
const ofBoth = [
  [...none, { description: 'Two tickets' }, { description: markedText }, { description: 'd'.repeat(300) }],
  [...none, { metadata: '{"cart":"c-17"}' }, { metadata: markedJson }, { metadata: '{ "spaces": [ ] }' }],
  [...none, { userAgent: 'Mozilla/5.0 (X11; Linux x86_64)' }, { userAgent: markedText }],
  [...none, { customerIp: '198.51.100.7' }, { customerIp: '2001:db8::1' }],
  [...none, ...customers],
] as const;

const ofHostedOrders: readonly Choices<OrderCreateRequest>[] = [
  ...ofBoth,
  [
    ...none,
    { paymentMethodConfig: null },
    { paymentMethodConfig: {} },
    { paymentMethodConfig: { allowedPaymentMethodTypes: ['ON_CHAIN_TRANSFER', 'EXCHANGE_TRANSFER'] } },
  ],
  [{}, { returnUrl: 'https://shop.example/return?order=7&of=%20x' }, { returnUrl: 'http://shop.example:8080/a/b' }],
];

const priced = (value: string) => ({ orderAmount: { value, currency: 'USDT' } }) as const;

/** Those of hosted orders in USDT: a target may want items in the currency of their order. */
const inUsdt: readonly Choices<OrderCreateRequest>[] = [
  [...none, priced('9.5'), priced('11'), priced('8.7654321')],
  [...none, { items: [] }, { items: [ticket] }, { items: [ticket, { ...ticket, name: markedText, quantity: 1 }] }],
];

const ofCheckoutOrders: readonly Choices<CheckoutOrderCreateRequest>[] = [
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
  ],
];

const ofRefunds: readonly Choices<RefundCreateRequest>[] = [
  [{}, { refundReason: markedText }, { refundReason: 'Damaged' }, { refundReason: 'r'.repeat(300) }],
];

function chosen<Request>(context: CheckContext, fields: readonly Choices<Request>[]): Partial<Request> {
  const all: Partial<Request> = {};
  for (const choices of fields) Object.assign(all, context.choose(choices));
  return all;
}

/** An id of the merchant's own, of another length and with other characters than a check's ids have. Checks make longer ones of it. */
function otherId(context: CheckContext): string {
  const id = context.newOrderId();
  return context.choose([id, id, `${id}_`, `${id}-Z`, `${id}_-Aq7`.padEnd(50, 'q')]);
}

/** Fields of a create of a hosted order that differ from the usual ones. Every target takes them. */
export const furtherHostedFields = (
  context: CheckContext,
  currency: OrderCreateRequest['orderAmount']['currency'] = 'USDT',
): Partial<OrderCreateRequest> => ({
  ...chosen(context, currency === 'USDT' ? [...ofHostedOrders, ...inUsdt] : ofHostedOrders),
  merchantOrderId: otherId(context),
});

/** The same of a create of a checkout order. */
export const furtherCheckoutFields = (context: CheckContext): Partial<CheckoutOrderCreateRequest> => ({
  ...chosen(context, ofCheckoutOrders),
  merchantOrderId: otherId(context),
});

/** The same of a create of a refund. */
export const furtherRefundFields = (context: CheckContext): Partial<RefundCreateRequest> => ({
  ...chosen(context, ofRefunds),
  merchantRefundOrderId: otherId(context),
});

/**
 * The answer to a create with further fields, and the request. Where it is refused for a field, those of the create without them, so that a fault with
 * one of them keeps no check from what it is for. The refusal is judged by what no run may show (`right-creates`).
 */
export async function createWith<Request>(
  area: OperationArea,
  further: Partial<Request>,
  requestWith: (further: Partial<Request>) => Request,
  create: (request: Request) => Promise<Answer>,
): Promise<{ request: Request; created: Answer }> {
  const request = requestWith(further);
  const created = await create(request);
  const code = field(created, 'code');
  if (typeof code !== 'string' || !fieldErrorCodes[area].includes(code)) return { request, created };
  const plain = requestWith({});
  return { request: plain, created: await create(plain) };
}
