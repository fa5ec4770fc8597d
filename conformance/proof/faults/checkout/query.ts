import { errorCode } from '../../../contract/error-codes.ts';
import type { JsonObject } from '../../../contract/json.ts';
import { lengthLimit } from '../../../contract/lengths.ts';
import { successCode } from '../../../contract/success-code.ts';
import {
  answering,
  answeringJson,
  bodyOf,
  isCheckout,
  isOf,
  isRightlySigned,
  jsonAnswer,
  merchantIdOf,
  onlyFor,
  queriedId,
  refusing,
  showing,
} from '../../stand/changes.ts';
import type { Fault, Make } from '../../stand/fault.ts';
import {
  acceptingImpossibleIds,
  answeringUnknownOrder,
  emptySuccess,
  servingTheKeysMerchant,
  sharedOrders,
  showingTheFirstView,
  showingTheNewest,
  tellingOfOthers,
} from '../../stand/order-changes.ts';
import type { ProxyAnswer } from '../../stand/proxy.ts';

/** A server whose refusals of checkout operations are as `change` makes them. */
const refusingCheckout = (change: (envelope: JsonObject) => unknown): Make => ({
  merchantApi: onlyFor(isCheckout, refusing(change)),
});

/** A server that answers a query for a checkout order that does not exist in another way. */
const unknownOrder = (instead: (envelope: JsonObject) => unknown): Make => answeringUnknownOrder(isCheckout, instead);

const queries: readonly Fault[] = [
  {
    id: 'checkout-views-never-refreshed',
    title: 'Shows a checkout order as it was when it was made, whatever has become of it.',
    breaks: 'checkout.payment-rule',
    caughtBy: 'checkout.state.processing.payment-confirmed.paid-in-full',
    make: { merchantApi: onlyFor(isCheckout, showingTheFirstView()) },
  },
  {
    id: 'checkout-newest-order-shown',
    title: "Answers each checkout query with the merchant's newest order.",
    breaks: 'checkout.query.by-merchant-order-id',
    caughtBy: 'checkout.query.by-merchant-order-id',
    make: { merchantApi: onlyFor(isCheckout, showingTheNewest()) },
  },
  {
    id: 'checkout-order-id-changes',
    title: 'Shows another orderId each time a checkout order is asked for.',
    breaks: 'checkout.query.by-merchant-order-id',
    caughtBy: 'checkout.query.by-merchant-order-id',
    make: {
      merchantApi: onlyFor(
        isOf('checkout.query'),
        showing((view) => ({ ...view, orderId: `${view.orderId}-${Math.random().toString(36).slice(2)}` })),
      ),
    },
  },
  {
    id: 'checkout-order-in-a-list',
    title: 'Answers a checkout query with a list of the orders that it found.',
    breaks: 'checkout.view.fields',
    caughtBy: 'checkout.view.init',
    make: {
      merchantApi: onlyFor(
        isOf('checkout.query'),
        answeringJson((envelope) =>
          envelope.code === successCode ? { ...envelope, data: [envelope.data] } : envelope,
        ),
      ),
    },
  },
  {
    id: 'checkout-unknown-longest-id-invalid-parameter',
    title:
      'Answers a query for an order that does not exist as one with a wrong parameter, where the id is as long as it may be.',
    breaks: 'checkout.errors.unknown-order',
    caughtBy: 'checkout.query.unknown',
    make: answeringUnknownOrder(
      (request) => isCheckout(request) && queriedId(request)?.length === 64,
      (envelope) => ({ ...envelope, code: errorCode('checkout', 'INVALID_PARAMETER') }),
    ),
  },
  {
    id: 'checkout-unknown-order-success',
    title: 'Answers a query for a checkout order that does not exist with success and no data.',
    breaks: 'checkout.errors.unknown-order',
    caughtBy: 'checkout.query.unknown',
    make: unknownOrder(() => emptySuccess),
  },
  ...(
    [
      ['code-404', '404', 'with code 404'],
      ['invalid-parameter', '10001', 'as one with a wrong parameter'],
      ['code-name', 'ORDER_NOT_FOUND', "with the code's name"],
    ] as const
  ).map(
    ([id, code, words]): Fault => ({
      id: `checkout-unknown-order-${id}`,
      title: `Answers a query for a checkout order that does not exist ${words}.`,
      breaks: 'checkout.errors.unknown-order',
      caughtBy: 'checkout.query.unknown',
      make: unknownOrder((envelope) => ({ ...envelope, code })),
    }),
  ),
  {
    id: 'checkout-impossible-id-success',
    title: 'Answers a query for a checkout order under an id of the wrong form with success and no data.',
    breaks: 'checkout.query.malformed-id',
    caughtBy: 'checkout.query.impossible-id',
    make: acceptingImpossibleIds(/^[A-Za-z0-9_-]{16,64}$/),
  },
  {
    id: 'checkout-orders-shared-by-merchants',
    title: 'Shows a checkout order to every merchant that knows its id.',
    breaks: 'checkout.query.other-merchant',
    caughtBy: 'checkout.query.other-merchant',
    make: sharedOrders(),
  },
  {
    id: 'checkout-refusal-tells-of-others',
    title: 'Tells a merchant the platform id of the checkout order of another that it asked for.',
    breaks: 'checkout.query.other-merchant',
    caughtBy: 'checkout.query.other-merchant',
    make: { merchantApi: tellingOfOthers() },
  },
  {
    id: 'checkout-path-merchant-ignored',
    title: 'Serves the merchant of the key in checkout operations, whoever stands in the path.',
    breaks: 'checkout.errors.unknown-merchant',
    caughtBy: 'checkout.errors.unknown-merchant',
    make: { merchantApi: onlyFor(isCheckout, servingTheKeysMerchant) },
  },
  {
    id: 'unknown-merchant-has-no-methods',
    title: 'Answers the list of payment methods of a merchant that does not exist with an empty list.',
    breaks: 'checkout.errors.unknown-merchant',
    caughtBy: 'checkout.errors.unknown-merchant',
    make: {
      merchantApi: onlyFor(isOf('checkout.payment-methods'), async (request, server) => {
        const merchantId = merchantIdOf(request);
        return server.merchant(merchantId)
          ? server.forward(request)
          : jsonAnswer({ ...emptySuccess, data: { merchantId, paymentMethods: [] } });
      }),
    },
  },
];

/** A server that answers an unreadable checkout create with `answer` instead of an envelope. */
const onMalformedJson = (answer: ProxyAnswer): Make => ({
  merchantApi: onlyFor(isOf('checkout.create'), async (request, server) =>
    isRightlySigned(request, server) && bodyOf(request) === undefined ? answer : server.forward(request),
  ),
});

const refusals: readonly Fault[] = [
  {
    id: 'checkout-refusal-as-in-hosted-orders',
    title: 'Puts merchantId, merchantOrderId and status FAILED under data in refusals, as hosted operations do.',
    breaks: 'checkout.envelope.failure',
    caughtBy: 'checkout.errors.envelope',
    make: {
      merchantApi: onlyFor(
        isCheckout,
        refusing((envelope, request) => ({
          ...envelope,
          data: { orderId: null, merchantId: merchantIdOf(request), status: 'FAILED' },
        })),
      ),
    },
  },
  {
    id: 'checkout-refusal-with-empty-data',
    title: 'Leaves data an empty object in refusals of checkout operations.',
    breaks: 'checkout.envelope.failure',
    caughtBy: 'checkout.errors.envelope',
    make: refusingCheckout((envelope) => ({ ...envelope, data: {} })),
  },
  {
    id: 'checkout-refusal-without-data',
    title: 'Leaves data out of refusals of checkout operations.',
    breaks: 'checkout.envelope.failure',
    caughtBy: 'checkout.errors.envelope',
    make: refusingCheckout(({ data: _left, ...envelope }) => envelope),
  },
  {
    id: 'checkout-refusal-without-message',
    title: 'Leaves out the message when it refuses a checkout operation.',
    breaks: 'checkout.envelope.failure',
    caughtBy: 'checkout.errors.envelope',
    make: refusingCheckout(({ message: _left, ...envelope }) => envelope),
  },
  {
    id: 'checkout-refusal-code-number',
    title: 'Writes the codes of checkout refusals as numbers.',
    breaks: 'checkout.envelope.failure',
    caughtBy: 'checkout.errors.envelope',
    make: refusingCheckout((envelope) => ({ ...envelope, code: Number(envelope.code) })),
  },
  {
    id: 'checkout-refusal-under-error',
    title: 'Writes code and message of a checkout refusal under error.',
    breaks: 'checkout.envelope.failure',
    caughtBy: 'checkout.errors.envelope',
    make: refusingCheckout(({ code, message, data }) => ({ error: { code, message }, data })),
  },
  {
    id: 'checkout-malformed-json-html',
    title: 'Answers a checkout create that is no JSON with an HTML page.',
    breaks: 'checkout.envelope.failure',
    caughtBy: 'checkout.errors.envelope',
    make: onMalformedJson({
      status: 400,
      headers: { 'content-type': 'text/html' },
      body: Buffer.from('<html><body>Bad Request</body></html>'),
    }),
  },
  {
    id: 'checkout-malformed-json-success',
    title: 'Says 00000 to a checkout create that is no JSON, and makes nothing.',
    breaks: 'checkout.errors.refused',
    caughtBy: 'checkout.errors.envelope',
    make: onMalformedJson(jsonAnswer(emptySuccess)),
  },
  {
    id: 'checkout-answers-as-text',
    title: 'Says that the JSON of checkout operations is plain text.',
    breaks: 'general.json',
    caughtBy: 'checkout.errors.content-type',
    make: {
      merchantApi: onlyFor(
        isCheckout,
        answering((answer) => ({ ...answer, headers: { ...answer.headers, 'content-type': 'text/plain' } })),
      ),
    },
  },
  {
    id: 'checkout-refusals-without-content-type',
    title: 'Names no content type when it refuses a checkout operation.',
    breaks: 'general.json',
    caughtBy: 'checkout.errors.content-type',
    make: {
      merchantApi: onlyFor(
        isCheckout,
        answering((answer) => {
          const { 'content-type': _left, ...headers } = answer.headers;
          return bodyOf(answer)?.code === successCode ? answer : { ...answer, headers };
        }),
      ),
    },
  },
  ...(
    [
      ['other-code', '40000', 'a code of its own'],
      ['unprocessable', '422', 'code 422'],
      ['system-error', '99999', 'the code for failures of its own'],
    ] as const
  ).map(
    ([id, code, words]): Fault => ({
      id: `checkout-invalid-parameter-${id}`,
      title: `Answers a wrong parameter of a checkout create with ${words}.`,
      breaks: 'checkout.errors.invalid-parameter',
      caughtBy: 'checkout.errors.invalid-parameter',
      make: refusingCheckout((envelope) => (envelope.code === '10001' ? { ...envelope, code } : envelope)),
    }),
  ),
  {
    id: 'checkout-long-metadata-fails',
    title: 'Fails when the metadata of a checkout order is too long for its column.',
    breaks: 'checkout.errors.invalid-parameter',
    caughtBy: 'checkout.errors.invalid-parameter',
    make: {
      merchantApi: onlyFor(
        (request) =>
          isOf('checkout.create')(request) &&
          String(bodyOf(request)?.metadata ?? '').length > lengthLimit('checkout', 'metadata', 'maxLength').limit,
        refusing((envelope) => ({ ...envelope, code: '99999' })),
      ),
    },
  },
  {
    id: 'checkout-refusal-of-a-list',
    title: 'Takes a list where the body of a checkout create is due, and answers with an empty list.',
    breaks: 'checkout.errors.refused',
    caughtBy: 'checkout.errors.envelope',
    make: {
      merchantApi: onlyFor(isOf('checkout.create'), async (request, server) => {
        const answer = await server.forward(request);
        return request.body.toString('utf8').startsWith('[') && isRightlySigned(request, server)
          ? jsonAnswer({ ...emptySuccess, data: [] })
          : answer;
      }),
    },
  },
];

/** Wrong servers of how checkout orders are asked for, and of how checkout operations refuse. */
export const checkoutQueryFaults: readonly Fault[] = [...queries, ...refusals];
