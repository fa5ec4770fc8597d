import { Decimal } from 'decimal.js';
import type { RequirementId } from '../../../../generated/catalogue.ts';
import type { AppParts } from '../../../../server/app.ts';
import { compareAmounts, sumAmounts } from '../../../../server/domain/money.ts';
import type { OrderCreateRequest } from '../../../../server/domain/order.ts';
import { isObject, type JsonObject, setAt, valueAt } from '../../../contract/json.ts';
import { lengthLimit } from '../../../contract/lengths.ts';
import { successCode } from '../../../contract/success-code.ts';
import { withMatchingTotal } from '../../../values/bodies.ts';
import {
  answering,
  answeringJson,
  bodyOf,
  endsInside,
  hasText,
  isHostedCreate,
  merchantIdOf,
  orderCreateSchema,
  readingCreates,
  refusal,
  refusingBodies,
  refusingCreates,
  showing,
  storing,
  withSchema,
} from '../../stand/changes.ts';
import type { Fault, Make } from '../../stand/fault.ts';
import { isImpossible, keepingAmounts, keyedBy, sharedNamespace } from '../../stand/order-changes.ts';
import type { Handler } from '../../stand/proxy.ts';

type SubMerchants = NonNullable<OrderCreateRequest['subMerchants']>;

/** A server with another rule for the sum of the sub-merchants' amounts. `holds` gets these amounts, the total and the sub-merchants. */
const summing = (holds: (amounts: readonly string[], total: string, subMerchants: SubMerchants) => boolean): Make => ({
  parts: (parts): AppParts => {
    const createOrder = parts.rules.createOrder.filter(
      ({ requirement }) => requirement !== 'orders.create.sub-merchants.sum',
    );
    const rule = {
      requirement: 'orders.create.sub-merchants.sum' as const,
      violation: ({ subMerchants = [], orderAmount }: OrderCreateRequest) =>
        subMerchants.length === 0 ||
        holds(
          subMerchants.map(({ amount }) => amount),
          orderAmount.value,
          subMerchants,
        )
          ? undefined
          : 'subMerchants: the amounts do not make the total',
    };
    return { ...parts, rules: { ...parts.rules, createOrder: [...createOrder, rule] } };
  },
});

const sumOfDoubles = (amounts: readonly string[]) => amounts.map(Number).reduce((sum, each) => sum + each, 0);

/** A server that answers a create with the order of the first merchantOrderId that is the same after `kept`. */
function takingForTheFirst(kept: (merchantOrderId: string) => string): Handler {
  const first = new Map<string, string>();
  return async (request, server) => {
    const id = isHostedCreate(request) ? bodyOf(request)?.merchantOrderId : undefined;
    const answer = await server.forward(request);
    if (typeof id !== 'string' || bodyOf(answer)?.code !== successCode) return answer;
    const key = `${merchantIdOf(request)} ${kept(id)}`;
    const known = first.get(key) ?? id;
    first.set(key, known);
    return known === id ? answer : { ...answer, body: Buffer.from(answer.body.toString().replaceAll(id, known)) };
  };
}

const longest = (field: string) => lengthLimit('orders', field, 'maxLength').limit;

/** Refuses a create whose field is too long, but makes the order. */
function makingWhatItRefuses(field: string): Handler {
  const most = longest(field);
  const shortened = readingCreates((body) => {
    const value = body[field];
    return typeof value === 'string' && value.length > most ? { ...body, [field]: value.slice(0, most) } : body;
  });
  return async (request, server) => {
    const value = isHostedCreate(request) ? bodyOf(request)?.[field] : undefined;
    const answer = await shortened(request, server);
    const tooLong = typeof value === 'string' && value.length > most;
    return tooLong ? refusal(request, '10001', `${field}: is too long`) : answer;
  };
}

const accepting: readonly Fault[] = [
  {
    id: 'callback-url-demanded',
    title: 'Refuses an order without a callbackUrl, which is optional.',
    breaks: 'orders.create.accepted',
    caughtBy: 'orders.create.minimal',
    make: { merchantApi: refusingCreates((body) => body.callbackUrl === undefined) },
  },
  {
    id: 'create-not-stored',
    title: 'Answers a create as it should, and keeps nothing.',
    breaks: 'orders.query.by-merchant-order-id',
    caughtBy: 'orders.create.minimal',
    make: { parts: storing(() => ({ insertOrder: async () => true })) },
  },
  {
    id: 'success-code-200',
    title: 'Answers what it has done with code 200.',
    breaks: 'general.success-code',
    caughtBy: 'orders.create.minimal',
    make: {
      merchantApi: answeringJson((envelope) =>
        envelope.code === successCode ? { ...envelope, code: '200' } : envelope,
      ),
    },
  },
  {
    id: 'success-code-number',
    title: 'Answers what it has done with the number 0 as its code.',
    breaks: 'general.success-code',
    caughtBy: 'orders.create.minimal',
    make: {
      merchantApi: answeringJson((envelope) => (envelope.code === successCode ? { ...envelope, code: 0 } : envelope)),
    },
  },
  {
    id: 'metadata-refused',
    title: 'Refuses an order with metadata.',
    breaks: 'orders.create.optional-fields',
    caughtBy: 'orders.create.every-optional-field',
    make: { merchantApi: refusingCreates((body) => body.metadata !== undefined) },
  },
  {
    id: 'items-refused',
    title: 'Refuses an order with line items.',
    breaks: 'orders.create.optional-fields',
    caughtBy: 'orders.create.every-optional-field',
    make: { merchantApi: refusingCreates((body) => body.items !== undefined) },
  },
  {
    id: 'ipv6-refused',
    title: 'Knows IPv4 addresses only.',
    breaks: 'orders.create.optional-fields',
    caughtBy: 'orders.create.every-optional-field',
    make: { merchantApi: refusingCreates(hasText('customerIp', (text) => text.includes(':'))) },
  },
  {
    id: 'ipv6-in-capitals-refused',
    title: 'Knows small letters only in IPv6 addresses.',
    breaks: 'orders.create.customer-ip.form',
    caughtBy: 'orders.create.customerIp.anyOf',
    make: { merchantApi: refusingCreates(hasText('customerIp', (text) => /:.*[A-F]/.test(text))) },
  },
  {
    id: 'ipv6-with-zeros-left-out-at-the-end-refused',
    title: 'Refuses IPv6 addresses that end with the zeros that are left out.',
    breaks: 'orders.create.customer-ip.form',
    caughtBy: 'orders.create.customerIp.anyOf',
    make: { merchantApi: refusingCreates(hasText('customerIp', (text) => text.endsWith('::'))) },
  },
  {
    id: 'ipv4-in-ipv6-refused',
    title: 'Refuses IPv6 addresses whose end is written as an IPv4 address.',
    breaks: 'orders.create.customer-ip.form',
    caughtBy: 'orders.create.customerIp.anyOf',
    make: { merchantApi: refusingCreates(hasText('customerIp', (text) => /:.*\./.test(text))) },
  },
  {
    id: 'short-ipv6-taken',
    title: 'Takes any groups of hexadecimal digits for an IPv6 address.',
    breaks: 'orders.create.customer-ip.form',
    caughtBy: 'orders.create.customerIp.anyOf',
    make: {
      merchantApi: readingCreates((body) =>
        /^([0-9a-f]{1,4}:)+[0-9a-f]{1,4}$/i.test(String(body.customerIp))
          ? { ...body, customerIp: '2001:db8::1' }
          : body,
      ),
    },
  },
  {
    id: 'names-of-hosts-taken',
    title: 'Looks up a customerIp that is a name, and drops brackets around it.',
    breaks: 'orders.create.customer-ip.form',
    caughtBy: 'orders.create.customerIp.anyOf',
    make: {
      merchantApi: readingCreates((body) =>
        /^(localhost|\[.*\])$/.test(String(body.customerIp)) ? { ...body, customerIp: '2001:db8::1' } : body,
      ),
    },
  },
  {
    id: 'short-ipv4-taken',
    title: 'Takes for an IPv4 address whatever the old functions of C libraries take for one.',
    breaks: 'orders.create.customer-ip.form',
    caughtBy: 'orders.create.customerIp.anyOf',
    make: {
      merchantApi: readingCreates((body) =>
        /^\d{1,3}(\.\d{1,3}){0,2}$|^0x/.test(String(body.customerIp)) ? { ...body, customerIp: '192.0.2.1' } : body,
      ),
    },
  },
  {
    id: 'empty-user-agent-refused',
    title: 'Refuses an empty userAgent.',
    breaks: 'orders.create.user-agent.length',
    caughtBy: 'orders.create.empty-texts',
    make: { parts: withSchema(`${orderCreateSchema}/properties/userAgent`, { minLength: 1 }) },
  },
  {
    id: 'empty-description-refused',
    title: 'Refuses an empty description.',
    breaks: 'orders.create.description.length',
    caughtBy: 'orders.create.empty-texts',
    make: { parts: withSchema(`${orderCreateSchema}/properties/description`, { minLength: 1 }) },
  },
  {
    id: 'zero-taken-for-no-name',
    title: 'Refuses a sub-merchant whose name is the text 0 as one without a name.',
    breaks: 'orders.create.sub-merchants.name-length',
    caughtBy: 'orders.create.subMerchants.name.minLength',
    make: {
      merchantApi: refusingCreates(
        ({ subMerchants }) => Array.isArray(subMerchants) && subMerchants.some((each) => Object(each).name === '0'),
      ),
    },
  },
  {
    id: 'null-payment-method-config-refused',
    title: 'Refuses null as paymentMethodConfig.',
    breaks: 'orders.create.payment-method-config.nullable',
    caughtBy: 'orders.create.payment-method-config.unrestricted',
    make: { merchantApi: refusingCreates((body) => body.paymentMethodConfig === null) },
  },
  {
    id: 'empty-method-list-refused',
    title: 'Refuses an empty list of payment methods.',
    breaks: 'orders.create.payment-method-config.nullable',
    caughtBy: 'orders.create.payment-method-config.unrestricted',
    make: {
      parts: withSchema('/components/schemas/PaymentMethodConfig/properties/allowedPaymentMethods', { minItems: 1 }),
    },
  },
  {
    id: 'exchanges-without-method-refused',
    title: 'Wants a method to be named where exchanges are the only type.',
    breaks: 'orders.create.payment-method-config.nullable',
    caughtBy: 'orders.create.payment-method-config.unrestricted',
    make: {
      merchantApi: refusingCreates(({ paymentMethodConfig: config }) => {
        const types = valueAt(config, ['allowedPaymentMethodTypes']);
        const methods = valueAt(config, ['allowedPaymentMethods']);
        const areExchanges = Array.isArray(types) && types.length === 1 && types.includes('EXCHANGE_TRANSFER');
        return areExchanges && Array.isArray(methods) && methods.length === 0;
      }),
    },
  },
  {
    id: 'null-type-list-refused',
    title: 'Refuses null as the list of payment method types.',
    breaks: 'orders.create.payment-method-config.nullable',
    caughtBy: 'orders.create.payment-method-config.unrestricted',
    make: {
      parts: withSchema('/components/schemas/PaymentMethodConfig/properties/allowedPaymentMethodTypes', {
        type: 'array',
      }),
    },
  },
  ...(
    [
      ['mcc', 'settlementRatio', '5943', 'orders.create.sub-merchants.mcc', 'mcc.pattern'],
      ['settlementRatio', 'mcc', '0.95', 'orders.create.sub-merchants.settlement-ratio', 'settlementRatio.maximum'],
    ] as const
  ).map(([field, other, right, breaks, check]) => ({
    id: `sub-merchant-${field === 'mcc' ? 'mcc' : 'ratio'}-unchecked-alone`,
    title: `Looks at the ${field} of a sub-merchant only where it has a ${other} too.`,
    breaks,
    caughtBy: `orders.create.subMerchants.${check}`,
    make: {
      merchantApi: readingCreates((body) => {
        if (!Array.isArray(body.subMerchants)) return body;
        const read = (part: unknown) =>
          isObject(part) && part[field] !== undefined && part[other] === undefined ? { ...part, [field]: right } : part;
        return { ...body, subMerchants: body.subMerchants.map(read) };
      }),
    },
  })),
  {
    id: 'usd-refused',
    title: 'Prices orders in USDT only.',
    breaks: 'orders.amount.currency-values',
    caughtBy: 'orders.create.both-currencies',
    make: { merchantApi: refusingCreates((body) => valueAt(body, ['orderAmount', 'currency']) === 'USD') },
  },
  {
    id: 'usd-converted-at-once',
    title: 'Shows an order that was priced in USD as one of USDT.',
    breaks: 'orders.view.echo',
    caughtBy: 'orders.create.echo.currency',
    feeds: ['orders.create.both-currencies'],
    make: { merchantApi: readingCreates((body) => setAt(body, ['orderAmount', 'currency'], 'USDT')) },
  },
  {
    id: 'underscore-in-id-refused',
    title: 'Refuses an underscore in a merchantOrderId.',
    breaks: 'orders.create.merchant-order-id.characters',
    caughtBy: 'orders.create.merchant-order-id.alphabet',
    make: { merchantApi: refusingCreates(hasText('merchantOrderId', (text) => text.includes('_'))) },
  },
  {
    id: 'capital-letter-in-id-refused',
    title: 'Refuses capital letters in a merchantOrderId.',
    breaks: 'orders.create.merchant-order-id.characters',
    caughtBy: 'orders.create.merchant-order-id.alphabet',
    make: { merchantApi: refusingCreates(hasText('merchantOrderId', (text) => /[A-Z]/.test(text))) },
  },
  {
    id: 'id-lower-cased',
    title: 'Writes a merchantOrderId in small letters when it keeps it.',
    breaks: 'orders.view.echo',
    caughtBy: 'orders.create.merchant-order-id.alphabet',
    make: {
      merchantApi: readingCreates((body) => ({ ...body, merchantOrderId: String(body.merchantOrderId).toLowerCase() })),
    },
  },
  {
    id: 'ids-cut-to-sixty',
    title: 'Cuts the merchantOrderIds down to 60 characters.',
    breaks: 'orders.view.echo',
    caughtBy: 'orders.create.merchant-order-id.distinct',
    make: keyedBy('hosted', (id) => id.slice(0, 60)),
  },
  {
    id: 'ids-without-case',
    title: 'Keeps the merchantOrderIds in a column that does not tell capital letters from small ones.',
    breaks: 'orders.view.echo',
    caughtBy: 'orders.create.merchant-order-id.distinct',
    make: keyedBy('hosted', (id) => id.toLowerCase()),
  },
  {
    id: 'ids-without-signs',
    title: 'Takes - and _ in a merchantOrderId for the same character.',
    breaks: 'orders.view.echo',
    caughtBy: 'orders.create.merchant-order-id.distinct',
    make: { merchantApi: takingForTheFirst((id) => id.replaceAll('_', '-')) },
  },
  {
    id: 'ids-without-leading-zeros',
    title: 'Takes merchantOrderIds for the same that differ in zeros before their digits.',
    breaks: 'orders.view.echo',
    caughtBy: 'orders.create.look-alike-texts',
    make: { merchantApi: takingForTheFirst((id) => id.replace(/^0+(?=[0-9]+$)/, '')) },
  },
  {
    id: 'refused-description-makes-order',
    title: 'Says that a description is too long, and makes the order.',
    breaks: 'orders.errors.refused',
    caughtBy: 'orders.create.description.maxLength',
    make: { merchantApi: makingWhatItRefuses('description') },
  },
  {
    id: 'refused-user-agent-makes-order',
    title: 'Says that a userAgent is too long, and makes the order.',
    breaks: 'orders.errors.refused',
    caughtBy: 'orders.create.userAgent.maxLength',
    make: { merchantApi: makingWhatItRefuses('userAgent') },
  },
  ...(
    [
      ['description', 'description', 'orders.create.description.length'],
      ['user-agent', 'userAgent', 'orders.create.user-agent.length'],
    ] as const
  ).map(
    ([id, field, breaks]): Fault => ({
      id: `${id}-counted-in-bytes`,
      title: `Counts the bytes of ${field}, not its characters.`,
      breaks,
      caughtBy: 'orders.create.lengths-in-characters',
      make: { merchantApi: refusingCreates(hasText(field, (text) => Buffer.byteLength(text) > longest(field))) },
    }),
  ),
  {
    id: 'description-cut-inside-character',
    title: 'Fails at a description whose 100th byte is not the last one of a character.',
    breaks: 'orders.create.description.length',
    caughtBy: 'orders.create.lengths-in-characters',
    make: { merchantApi: refusingBodies('orders.create', hasText('description', endsInside(100)), '99999') },
  },
  {
    id: 'create-answers-with-others-order',
    title: 'Answers a create with the order that another merchant has under the same merchantOrderId.',
    breaks: 'orders.create.other-merchant',
    caughtBy: 'orders.create.other-merchant',
    make: sharedNamespace('hosted', { leaking: true }),
  },
  {
    id: 'lengths-cut-silently',
    title: 'Cuts a returnUrl that is too long and takes the order.',
    breaks: 'orders.create.return-url.length',
    caughtBy: 'orders.create.returnUrl.maxLength',
    make: {
      merchantApi: readingCreates((body) =>
        hasText('returnUrl', (text) => text.length > longest('returnUrl'))(body)
          ? { ...body, returnUrl: String(body.returnUrl).slice(0, longest('returnUrl')) }
          : body,
      ),
    },
  },
];

const answers: readonly Fault[] = [
  {
    id: 'starts-in-processing',
    title: 'Makes orders that are being processed before anybody has paid.',
    breaks: 'orders.states.initial',
    caughtBy: 'orders.create.initial-state',
    make: {
      parts: (parts) => ({
        ...parts,
        states: { ...parts.states, orders: { ...parts.states.orders, initial: 'PROCESSING' } },
      }),
    },
  },
  {
    id: 'stays-pending',
    title: 'Shows a new order as PENDING whenever it is asked for.',
    breaks: 'orders.states.initial',
    caughtBy: 'orders.create.initial-state',
    make: { merchantApi: showing((view) => (view.status === 'INIT' ? { ...view, status: 'PENDING' } : view)) },
  },
  {
    id: 'create-answers-pending',
    title: 'Answers a create with PENDING, and queries with INIT.',
    breaks: 'orders.create.pending-example',
    caughtBy: 'orders.create.answers-init',
    make: {
      merchantApi: showing((view, request) => (isHostedCreate(request) ? { ...view, status: 'PENDING' } : view)),
    },
  },
  {
    id: 'create-answer-abbreviated',
    title: 'Answers a create with orderId, checkoutUrl and status only.',
    breaks: 'orders.view.fields',
    caughtBy: 'orders.create.success-envelope',
    make: {
      merchantApi: showing(({ orderId, checkoutUrl, status, ...view }, request) =>
        isHostedCreate(request) ? { orderId, checkoutUrl, status } : { orderId, checkoutUrl, status, ...view },
      ),
    },
  },
  {
    id: 'success-without-message',
    title: 'Leaves out the message when all went well.',
    breaks: 'orders.envelope.success',
    caughtBy: 'orders.create.success-envelope',
    make: {
      merchantApi: answeringJson(({ message, ...rest }) => (rest.code === successCode ? rest : { message, ...rest })),
    },
  },
  {
    id: 'success-without-data',
    title: 'Answers a create with code and message only.',
    breaks: 'orders.envelope.success',
    caughtBy: 'orders.create.success-envelope',
    make: {
      merchantApi: answeringJson(({ data, ...rest }, request) =>
        rest.code === successCode && isHostedCreate(request) ? rest : { ...rest, data },
      ),
    },
  },
  {
    id: 'view-beside-code',
    title: "Writes the order's fields beside code and message, not under data.",
    breaks: 'orders.envelope.success',
    caughtBy: 'orders.create.success-envelope',
    make: {
      merchantApi: answeringJson(({ data, ...rest }) =>
        rest.code === successCode && isObject(data) ? { ...data, ...rest } : { ...rest, data },
      ),
    },
  },
  {
    id: 'create-http-201',
    title: 'Answers a create with HTTP 201.',
    breaks: 'orders.http-200',
    caughtBy: 'orders.errors.http-200',
    make: {
      merchantApi: answering((answer, request) =>
        isHostedCreate(request) && bodyOf(answer)?.code === successCode ? { ...answer, status: 201 } : answer,
      ),
    },
  },
];

const money: readonly Fault[] = [
  {
    id: 'amounts-kept-as-doubles',
    title: 'Keeps amounts in binary floating point.',
    breaks: 'orders.amount.decimal-places',
    caughtBy: 'orders.create.eighteen-decimals',
    make: keepingAmounts('hosted', (value) => String(Number(value))),
  },
  {
    id: 'amounts-cut-to-eight-places',
    title: 'Keeps eight decimal places of an amount.',
    breaks: 'orders.amount.decimal-places',
    caughtBy: 'orders.create.eighteen-decimals',
    make: keepingAmounts('hosted', (value) => value.replace(/(\.[0-9]{8})[0-9]+$/, '$1')),
  },
  {
    id: 'nine-decimal-places-refused',
    title: 'Refuses amounts with more than eight decimal places.',
    breaks: 'orders.amount.decimal-places',
    caughtBy: 'orders.create.eighteen-decimals',
    make: {
      merchantApi: refusingCreates((body) => /\.[0-9]{9}/.test(String(valueAt(body, ['orderAmount', 'value'])))),
    },
  },
  {
    id: 'letters-as-amount',
    title: 'Reads letters as an amount of one.',
    breaks: 'orders.amount.number',
    caughtBy: 'orders.create.orderAmount.value.number',
    make: {
      merchantApi: readingCreates((body) =>
        /[0-9]/.test(String(valueAt(body, ['orderAmount', 'value'])))
          ? body
          : setAt(body, ['orderAmount', 'value'], '1'),
      ),
    },
  },
  {
    id: 'parts-without-number-dropped',
    title: 'Leaves out the parts of a split whose amount is no number.',
    breaks: 'orders.create.sub-merchants.amount-number',
    caughtBy: 'orders.create.subMerchants.amount.number',
    make: {
      merchantApi: readingCreates((body) => {
        const { subMerchants } = body;
        if (!Array.isArray(subMerchants)) return body;
        const numbers = subMerchants.filter((part) => /[0-9]/.test(String(Object(part).amount)));
        return numbers.length === subMerchants.length ? body : { ...body, subMerchants: numbers };
      }),
    },
  },
  {
    id: 'impossible-date-taken',
    title: 'Reads an impossible date as one in an hour.',
    breaks: 'orders.create.expires-at.form',
    caughtBy: 'orders.create.expiresAt.format',
    make: {
      merchantApi: readingCreates((body) =>
        isImpossible(body) ? { ...body, expiresAt: new Date(Date.now() + 3_600_000).toISOString() } : body,
      ),
    },
  },
  {
    id: 'leap-day-every-four-years',
    title: 'Takes the 29 February of every fourth year for a day, that of 2100 too.',
    breaks: 'orders.create.expires-at.form',
    caughtBy: 'orders.create.expiresAt.format',
    make: {
      merchantApi: readingCreates((body) =>
        /^\d\d00-02-29T/.test(String(body.expiresAt))
          ? { ...body, expiresAt: String(body.expiresAt).replace('-02-29T', '-03-01T') }
          : body,
      ),
    },
  },
  ...(
    [
      ['sum-not-checked', 'Does not add up what sub-merchants get.', 'sum-too-small', () => true],
      [
        'sum-may-be-smaller',
        'Checks only that sub-merchants do not get more than the order brings.',
        'sum-too-small',
        (amounts: readonly string[], total: string) => compareAmounts(sumAmounts(amounts), total) <= 0,
      ],
      [
        'sum-may-be-larger',
        'Checks only that sub-merchants get all that the order brings.',
        'sum-too-large',
        (amounts: readonly string[], total: string) => compareAmounts(sumAmounts(amounts), total) >= 0,
      ],
      [
        'sum-to-the-cent',
        'Compares the sum of sub-merchants with the total to two decimal places.',
        'sum-too-large',
        (amounts: readonly string[], total: string) => sumOfDoubles(amounts).toFixed(2) === Number(total).toFixed(2),
      ],
      [
        'sum-in-doubles',
        'Adds up what sub-merchants get in binary floating point.',
        'exact-sum',
        (amounts: readonly string[], total: string) => sumOfDoubles(amounts) === Number(total),
      ],
      [
        'sum-to-twenty-digits',
        'Adds up what sub-merchants get to 20 digits.',
        'sum-too-large',
        (amounts: readonly string[], total: string) =>
          Decimal.sum(...amounts).eq(new Decimal(total).toSignificantDigits(20)),
      ],
      [
        'sum-compared-as-text',
        'Compares the sum of sub-merchants with the total as text.',
        'exact-sum',
        (amounts: readonly string[], total: string) => sumAmounts(amounts) === total,
      ],
      [
        'sum-of-first-hundred',
        'Adds up what the first hundred sub-merchants get.',
        'sum-of-part',
        (amounts: readonly string[], total: string) => compareAmounts(sumAmounts(amounts.slice(0, 100)), total) === 0,
      ],
      [
        'sum-of-first-ten',
        'Adds up what the first ten sub-merchants get.',
        'exact-sum',
        (amounts: readonly string[], total: string) => compareAmounts(sumAmounts(amounts.slice(0, 10)), total) === 0,
      ],
      [
        'sum-by-id',
        'Counts one of the sub-merchants with the same id.',
        'sum-of-part',
        (_: readonly string[], total: string, subMerchants: SubMerchants) => {
          const byId = new Map(subMerchants.map(({ subMerchantId, amount }) => [subMerchantId, amount]));
          return compareAmounts(sumAmounts([...byId.values()]), total) === 0;
        },
      ],
      [
        'sum-must-differ',
        'Takes a split only if its sum is not the total.',
        'sum-too-small',
        (amounts: readonly string[], total: string) => sumAmounts(amounts) !== total,
      ],
    ] as const
  ).map(
    ([id, title, check, holds]): Fault => ({
      id,
      title,
      breaks: 'orders.create.sub-merchants.sum' satisfies RequirementId,
      caughtBy: `orders.create.sub-merchants.${check}`,
      make: summing(holds),
    }),
  ),
];

const optionalTogether: readonly Fault[] = [
  {
    id: 'split-beside-items-refused',
    title: 'Refuses creates with items and sub-merchants.',
    breaks: 'orders.create.sub-merchants.sum',
    caughtBy: 'orders.create.sub-merchants.exact-sum',
    make: { merchantApi: refusingCreates((body) => hasItems(body) && Array.isArray(body.subMerchants)) },
  },
  {
    id: 'settlement-ratios-beyond-one-refused',
    title: 'Refuses sub-merchants whose settlement ratios are more than 1 together.',
    breaks: 'orders.create.sub-merchants.settlement-ratio',
    caughtBy: 'orders.create.sub-merchants.exact-sum',
    make: {
      merchantApi: refusingCreates(({ subMerchants }) => {
        const ratios = Array.isArray(subMerchants)
          ? subMerchants.map((each) => Number(Object(each).settlementRatio ?? 0))
          : [];
        // A ratio that is wrong alone is refused by the server itself.
        return ratios.every((ratio) => ratio <= 1) && ratios.reduce((sum, ratio) => sum + ratio, 0) > 1;
      }),
    },
  },
  {
    id: 'settlement-ratios-of-five-places-refused',
    title: 'Refuses sub-merchants whose settlement ratio has more than four decimal places.',
    breaks: 'orders.create.sub-merchants.settlement-ratio',
    caughtBy: 'orders.create.sub-merchants.exact-sum',
    make: {
      merchantApi: refusingCreates(
        ({ subMerchants }) =>
          Array.isArray(subMerchants) &&
          subMerchants.some((each) => /^0\.[0-9]{5,}$/.test(String(Object(each).settlementRatio))),
      ),
    },
  },
  {
    id: 'callback-url-without-path-refused',
    title: 'Refuses a callbackUrl without a path.',
    breaks: 'orders.create.optional-fields',
    caughtBy: 'orders.create.optional-parts',
    make: { merchantApi: refusingCreates(hasText('callbackUrl', (text) => /^https:\/\/[^/]*$/.test(text))) },
  },
];

const hasItems = (body: JsonObject) => Array.isArray(body.items);

/** A server that keeps the rules of some fields only where a create has items, or only where it has none. */
const heedlessOfSome = (name: string, applies: (body: JsonObject) => boolean, where: string): readonly Fault[] => [
  {
    id: `description-of-any-length-${name}`,
    title: `Cuts long descriptions off in creates ${where}.`,
    breaks: 'orders.create.description.length',
    caughtBy: 'orders.create.description.maxLength',
    make: {
      merchantApi: readingCreates((body) =>
        applies(body) && typeof body.description === 'string'
          ? { ...body, description: body.description.slice(0, longest('description')) }
          : body,
      ),
    },
  },
  {
    id: `categories-of-any-form-${name}`,
    title: `Leaves out the category codes of sub-merchants in creates ${where}.`,
    breaks: 'orders.create.sub-merchants.mcc',
    caughtBy: 'orders.create.subMerchants.mcc.pattern',
    make: {
      merchantApi: readingCreates((body) =>
        applies(body) && Array.isArray(body.subMerchants)
          ? { ...body, subMerchants: body.subMerchants.map((part) => ({ ...Object(part), mcc: '5943' })) }
          : body,
      ),
    },
  },
  {
    id: `sum-not-checked-${name}`,
    title: `Does not add up what sub-merchants get in creates ${where}.`,
    breaks: 'orders.create.sub-merchants.sum',
    caughtBy: 'orders.create.sub-merchants.sum-too-small',
    make: {
      merchantApi: readingCreates((body) => (applies(body) ? Object(withMatchingTotal(body)) : body)),
    },
  },
];

/** Wrong servers of the operation that creates hosted orders. */
export const createFaults: readonly Fault[] = [
  ...accepting,
  ...answers,
  ...money,
  ...optionalTogether,
  ...heedlessOfSome('with-items', hasItems, 'with items'),
  ...heedlessOfSome('without-items', (body) => !hasItems(body), 'without items'),
];
