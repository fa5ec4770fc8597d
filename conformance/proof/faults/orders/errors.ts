import { isObject, type JsonObject } from '../../../contract/json.ts';
import { successCode } from '../../../contract/success-code.ts';
import {
  answering,
  bodyOf,
  isHostedCreate,
  isHostedQuery,
  isRightlySigned,
  jsonAnswer,
  refusing,
  refusingWithStatus,
} from '../../stand/changes.ts';
import type { Fault } from '../../stand/fault.ts';
import { emptySuccess } from '../../stand/order-changes.ts';
import type { Handler } from '../../stand/proxy.ts';

const withData = (envelope: JsonObject, change: (data: JsonObject) => JsonObject): JsonObject =>
  isObject(envelope.data) ? { ...envelope, data: change(envelope.data) } : envelope;

/** A server that answers a create whose body is malformed JSON with `answer` instead of an envelope. */
const onMalformedJson =
  (answer: ReturnType<typeof jsonAnswer>): Handler =>
  async (request, server) => {
    if (!isHostedCreate(request) || !isRightlySigned(request, server)) return server.forward(request);
    return /^\s*\{/.test(request.body.toString('utf8')) && bodyOf(request) === undefined
      ? answer
      : server.forward(request);
  };

/** Wrong servers that refuse requests for hosted orders wrongly, or in another form. */
export const orderErrorFaults: readonly Fault[] = [
  {
    id: 'unknown-order-http-404',
    title: 'Answers a query for an order that does not exist with HTTP 404.',
    breaks: 'orders.http-200',
    caughtBy: 'orders.errors.http-200',
    make: { merchantApi: refusingWithStatus((code) => (code === '40001' ? 404 : undefined)) },
  },
  {
    id: 'invalid-parameter-http-400',
    title: 'Answers a wrong parameter with HTTP 400.',
    breaks: 'orders.http-200',
    caughtBy: 'orders.errors.http-200',
    make: { merchantApi: refusingWithStatus((code) => (code === '10001' ? 400 : undefined)) },
  },
  {
    id: 'malformed-json-http-400',
    title: 'Answers a body that is no JSON with HTTP 400.',
    breaks: 'orders.http-200',
    caughtBy: 'orders.errors.http-200',
    make: { merchantApi: onMalformedJson(jsonAnswer({ code: '10001', message: 'malformed JSON', data: null }, 400)) },
  },
  {
    id: 'other-type-http-415',
    title: 'Answers a create that is sent as plain text, rightly signed, with HTTP 415.',
    breaks: 'orders.http-200',
    caughtBy: 'orders.errors.http-200',
    make: {
      merchantApi: async (request, server) => {
        const answer = await server.forward(request);
        return isHostedCreate(request) &&
          request.headers['content-type'] === 'text/plain' &&
          isRightlySigned(request, server)
          ? { ...answer, status: 415 }
          : answer;
      },
    },
  },
  {
    id: 'malformed-json-html',
    title: 'Answers a body that is no JSON with an HTML page.',
    breaks: 'orders.envelope.failure',
    caughtBy: 'orders.errors.envelope',
    make: {
      merchantApi: onMalformedJson({
        status: 200,
        headers: { 'content-type': 'text/html' },
        body: Buffer.from('<html><body>Bad Request</body></html>'),
      }),
    },
  },
  {
    id: 'refusal-without-data',
    title: 'Leaves data null in refusals, as checkout operations do.',
    breaks: 'orders.envelope.failure',
    caughtBy: 'orders.errors.envelope',
    make: { merchantApi: refusing((envelope) => ({ ...envelope, data: null })) },
  },
  {
    id: 'refusal-without-message',
    title: 'Leaves out the message of a refusal.',
    breaks: 'orders.envelope.failure',
    caughtBy: 'orders.errors.envelope',
    make: { merchantApi: refusing(({ message: _left, ...envelope }) => envelope) },
  },
  {
    id: 'refusal-without-status',
    title: 'Leaves out the status in refusals.',
    breaks: 'orders.envelope.failure',
    caughtBy: 'orders.errors.envelope',
    make: { merchantApi: refusing((envelope) => withData(envelope, ({ status: _left, ...data }) => data)) },
  },
  {
    id: 'refusal-status-rejected',
    title: 'Writes the status of a refusal as REJECTED.',
    breaks: 'orders.envelope.failure',
    caughtBy: 'orders.errors.envelope',
    make: { merchantApi: refusing((envelope) => withData(envelope, (data) => ({ ...data, status: 'REJECTED' }))) },
  },
  {
    id: 'refusal-with-order-id',
    title: 'Gives refused orders an orderId.',
    breaks: 'orders.envelope.failure',
    caughtBy: 'orders.errors.envelope',
    make: { merchantApi: refusing((envelope) => withData(envelope, (data) => ({ ...data, orderId: '' }))) },
  },
  {
    id: 'refusal-of-nobody',
    title: 'Leaves the merchantId of a refusal empty.',
    breaks: 'orders.envelope.failure',
    caughtBy: 'orders.errors.envelope',
    make: { merchantApi: refusing((envelope) => withData(envelope, (data) => ({ ...data, merchantId: '' }))) },
  },
  {
    id: 'refusal-code-not-mirrored',
    title: 'Writes the same standardResponseCode in all refusals.',
    breaks: 'orders.view.standard-response',
    caughtBy: 'orders.errors.envelope',
    make: {
      merchantApi: refusing((envelope) => withData(envelope, (data) => ({ ...data, standardResponseCode: '99999' }))),
    },
  },
  {
    id: 'refusal-code-number',
    title: 'Writes the codes of refusals as numbers.',
    breaks: 'orders.envelope.failure',
    caughtBy: 'orders.errors.envelope',
    make: { merchantApi: refusing((envelope) => ({ ...envelope, code: Number(envelope.code) })) },
  },
  {
    id: 'refusal-code-success',
    title: 'Says 00000 to a list where a body is due, and makes nothing.',
    breaks: 'orders.errors.refused',
    caughtBy: 'orders.errors.envelope',
    make: {
      merchantApi: async (request, server) => {
        const answer = await server.forward(request);
        return request.body.toString('utf8').startsWith('[') && isRightlySigned(request, server)
          ? jsonAnswer(emptySuccess)
          : answer;
      },
    },
  },
  {
    id: 'answers-as-text',
    title: 'Says that its JSON is plain text.',
    breaks: 'general.json',
    caughtBy: 'orders.errors.content-type',
    make: {
      merchantApi: answering((answer) => ({ ...answer, headers: { ...answer.headers, 'content-type': 'text/plain' } })),
    },
  },
  {
    id: 'refusals-without-content-type',
    title: 'Names no content type in refusals.',
    breaks: 'general.json',
    caughtBy: 'orders.errors.content-type',
    make: {
      merchantApi: answering((answer) => {
        const { 'content-type': _left, ...headers } = answer.headers;
        return bodyOf(answer)?.code === successCode ? answer : { ...answer, headers };
      }),
    },
  },
  {
    id: 'refusal-forgets-the-id',
    title: 'Leaves merchantOrderId null in every refusal.',
    breaks: 'orders.envelope.failure-names-request',
    caughtBy: 'orders.errors.request-id-echoed',
    make: { merchantApi: refusing((envelope) => withData(envelope, (data) => ({ ...data, merchantOrderId: null }))) },
  },
  {
    id: 'refused-create-forgets-the-id',
    title: 'Leaves merchantOrderId null in refused creates.',
    breaks: 'orders.envelope.failure-names-request',
    caughtBy: 'orders.errors.request-id-echoed',
    make: {
      merchantApi: refusing((envelope, request) =>
        isHostedQuery(request) ? envelope : withData(envelope, (data) => ({ ...data, merchantOrderId: null })),
      ),
    },
  },
  {
    id: 'refusal-names-the-escaped-id',
    title: 'Names an order in refused queries as the path has it, with its escapes.',
    breaks: 'orders.envelope.failure-names-request',
    caughtBy: 'orders.errors.request-id-echoed',
    make: {
      merchantApi: refusing((envelope, request) => {
        const [, last] = /([^/]*%[^/]*)$/.exec(request.target) ?? [];
        if (!isHostedQuery(request) || last === undefined) return envelope;
        return withData(envelope, (data) => ({ ...data, merchantOrderId: last }));
      }),
    },
  },
  {
    id: 'refused-value-forgets-the-id',
    title: 'Leaves merchantOrderId null in refusals of creates for anything else than a currency.',
    breaks: 'orders.envelope.failure-names-request',
    caughtBy: 'orders.errors.request-id-echoed',
    make: {
      merchantApi: refusing((envelope, request) =>
        isHostedQuery(request) || /currency/.test(String(envelope.message))
          ? envelope
          : withData(envelope, (data) => ({ ...data, merchantOrderId: null })),
      ),
    },
  },
  {
    id: 'invalid-parameter-other-code',
    title: 'Answers a wrong parameter with a code of its own.',
    breaks: 'orders.errors.invalid-parameter',
    caughtBy: 'orders.errors.invalid-parameter',
    make: {
      merchantApi: refusing((envelope) => (envelope.code === '10001' ? { ...envelope, code: '40000' } : envelope)),
    },
  },
  {
    id: 'wrong-address-other-code',
    title: 'Answers a wrong callbackUrl with a code of its own.',
    breaks: 'orders.errors.invalid-parameter',
    caughtBy: 'orders.errors.invalid-parameter',
    make: {
      merchantApi: refusing((envelope) =>
        String(envelope.message).includes('callbackUrl') ? { ...envelope, code: '40000' } : envelope,
      ),
    },
  },
  {
    id: 'invalid-parameter-unnamed',
    title: 'Does not say which parameter is wrong.',
    breaks: 'orders.errors.invalid-parameter',
    caughtBy: 'orders.errors.invalid-parameter',
    make: { merchantApi: refusing((envelope) => ({ ...envelope, message: 'invalid request' })) },
  },
  {
    id: 'parameter-of-item-unnamed',
    title: 'Names items where a field of one of them is wrong.',
    breaks: 'orders.errors.invalid-parameter',
    caughtBy: 'orders.errors.invalid-parameter',
    make: {
      merchantApi: refusing((envelope) =>
        String(envelope.message).includes('items') ? { ...envelope, message: 'invalid items' } : envelope,
      ),
    },
  },
  {
    id: 'quantity-unnamed',
    title: 'Does not name the quantity that is too small.',
    breaks: 'orders.errors.invalid-parameter',
    caughtBy: 'orders.errors.invalid-parameter',
    make: {
      merchantApi: refusing((envelope) =>
        String(envelope.message).includes('quantity') ? { ...envelope, message: 'must be more than 0' } : envelope,
      ),
    },
  },
  {
    id: 'inner-parameter-unnamed',
    title: 'Names subMerchants where a field of one of them is wrong.',
    breaks: 'orders.errors.invalid-parameter',
    caughtBy: 'orders.errors.invalid-parameter',
    make: {
      merchantApi: refusing((envelope) =>
        String(envelope.message).includes('subMerchants') ? { ...envelope, message: 'invalid subMerchants' } : envelope,
      ),
    },
  },
];
