import { gzipSync } from 'node:zlib';
import { contract } from '../../../generated/contract.ts';
import type { AppParts } from '../../../server/app.ts';
import { successCode } from '../../contract/success-code.ts';
import { expectingMistake, signatureIn } from '../stand/auth-changes.ts';
import {
  answering,
  answeringJson,
  isHosted,
  isOf,
  isRightlySigned,
  jsonAnswer,
  objectAt,
  refusal,
} from '../stand/changes.ts';
import type { HopelessServer, Make } from '../stand/fault.ts';
import type { ProxyAnswer } from '../stand/proxy.ts';
import { refundRefusal } from '../stand/refund-changes.ts';
import { acknowledged, sending } from '../stand/webhook-changes.ts';

const example = (name: string): ProxyAnswer => jsonAnswer(objectAt(contract, `/components/examples/${name}`).value);

const page: ProxyAnswer = {
  status: 200,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: Buffer.from('<!doctype html><title>Welcome</title><h1>It works!</h1>'),
};

/** A server in which time brings no order to its end. */
function withoutExpiry(parts: AppParts): AppParts {
  const { orders, checkout } = parts.states;
  const withoutIt = <Machine extends typeof orders>(machine: Machine): Machine => ({
    ...machine,
    transitions: machine.transitions.filter(({ event }) => event !== 'expired'),
  });
  return { ...parts, states: { ...parts.states, orders: withoutIt(orders), checkout: withoutIt(checkout) } };
}

/** A server whose answers have their bytes changed. */
const writing = (change: (body: Buffer) => Buffer, headers: Record<string, string> = {}): Make => ({
  merchantApi: answering((answer) => ({
    ...answer,
    headers: { ...answer.headers, ...headers },
    body: change(answer.body),
  })),
});

/** Servers that are wrong as a whole. */
export const hopelessServers: readonly HopelessServer[] = [
  {
    id: 'refuses-everything',
    title: 'Refuses every request in the right envelope.',
    leaves: 'refusals',
    cause: 'every request is refused with 99999: the service is not available',
    make: { merchantApi: async (request) => refusal(request, '99999', 'the service is not available') },
  },
  {
    id: 'accepts-everything',
    title: 'Answers every request with success and no data.',
    cause: 'every request gets the same answer, whatever is asked for',
    make: { merchantApi: async () => jsonAnswer({ code: successCode, message: 'Success', data: {} }) },
  },
  {
    id: 'answers-examples',
    title: "Answers with the contract's examples, and keeps no state.",
    cause: 'creating a hosted order gets the same answer, whatever is asked for',
    make: {
      merchantApi: async (request) => {
        if (isHosted(request)) return example('view-init');
        if (isOf('checkout.payment-methods')(request)) return example('checkout-payment-methods');
        if (isOf('checkout.create')(request)) return example('checkout-created');
        if (isOf('checkout.query')(request)) return example('checkout-view-init');
        return example('failure-10001');
      },
    },
  },
  {
    id: 'html-page',
    title: 'Shows an HTML page, whatever is asked for.',
    leaves: 'nothing',
    cause: 'every request is answered with HTTP 200 and no code of the contract: a page, "Welcome"',
    make: { merchantApi: async () => page },
  },
  {
    id: 'html-page-without-control',
    title: 'Shows an HTML page, whatever is asked for, and has no control API.',
    leaves: 'nothing',
    cause: 'every request is answered with HTTP 200 and no code of the contract: a page, "Welcome"',
    make: { merchantApi: async () => page, configured: ['default', 'other'] },
  },
  {
    id: 'http-500',
    title: 'Fails at every request.',
    leaves: 'nothing',
    cause: 'every request is answered with HTTP 500 and no code of the contract: an empty body',
    make: { merchantApi: async () => ({ status: 500, headers: {}, body: Buffer.alloc(0) }) },
  },
  {
    id: 'answers-null',
    title: 'Answers every request with null.',
    leaves: 'nothing',
    cause: 'every request is answered with HTTP 200 and no code of the contract: null',
    make: { merchantApi: async () => jsonAnswer(null) },
  },
  {
    id: 'not-found',
    title: 'Finds nothing, as under a wrong path.',
    // Its answers are JSON.
    leaves: 'refusals',
    cause: 'every request is answered with HTTP 404 and no code of the contract: {"error":"Not Found"}',
    make: { restarts: true, merchantApi: async () => ({ ...jsonAnswer({ error: 'Not Found' }), status: 404 }) },
  },
  {
    id: 'redirects-everything',
    title: 'Redirects every request to a page for signing in.',
    leaves: 'nothing',
    cause:
      'every request is answered with HTTP 302 and no code of the contract: a redirect to https://login.example.com/',
    make: {
      merchantApi: async () => ({
        status: 302,
        headers: { location: 'https://login.example.com/' },
        body: Buffer.alloc(0),
      }),
    },
  },
  {
    id: 'own-code-for-each-area',
    title: 'Refuses every request as wrongly signed, by the code of its area.',
    leaves: 'refusals',
    cause: 'every request is refused with 90001 or refused with INVALID_SIGNATURE: the signature is wrong',
    make: {
      merchantApi: async (request) =>
        /\/refunds/.test(request.target)
          ? refundRefusal(401, 'INVALID_SIGNATURE')
          : refusal(request, '90001', 'the signature is wrong'),
    },
  },
  {
    id: 'no-webhooks',
    title: 'Sends no webhooks.',
    cause: 'no webhook has come to any address that was named for one',
    make: sending(async () => acknowledged),
  },
  {
    id: 'orders-never-expire',
    title: 'Lets no order expire.',
    // An order that is being paid fails no more when its time is over, and is never announced. Announcements of other orders may wait behind it.
    // On a busy machine senders may break connections off before they are secure, which then keeps most checks from a verdict.
    cause: /states\.expired: |webhooks\.order\.\S+: |the webhook may have been kept away: /,
    make: { parts: withoutExpiry },
  },
  {
    id: 'hexadecimal-signatures',
    title: 'Wants signatures in hexadecimal and finds every other one wrong.',
    cause: 'X-Signature: is not the signature of this request',
    make: { merchantApi: expectingMistake('signature-hex') },
  },
  {
    id: 'answers-break-off',
    title: 'Sends the first four fifths of each answer.',
    cause:
      /(every request|no request is accepted, and (most|many)) gets? an answer that is no JSON, because it breaks off/,
    make: writing((body) => body.subarray(0, Math.floor(body.length * 0.8))),
  },
  {
    id: 'answers-begin-with-a-byte-order-mark',
    title: 'Writes a byte order mark before each answer.',
    cause: 'every request gets an answer that begins with a byte order mark',
    make: writing((body) => Buffer.concat([Buffer.from('\u{feff}'), body])),
  },
  {
    id: 'answers-end-with-a-comment',
    title: 'Writes a comment behind each answer.',
    cause: 'every request gets an answer that has something after its JSON: <!-- served by node 3 -->',
    make: writing((body) => Buffer.concat([body, Buffer.from('\n<!-- served by node 3 -->')])),
  },
  {
    id: 'answers-are-compressed',
    title: 'Compresses each answer, although no request asks for it.',
    cause: 'every request gets an answer that is compressed (Content-Encoding: gzip), which no request asked for',
    make: writing((body) => gzipSync(body), { 'content-encoding': 'gzip' }),
  },
  {
    id: 'answers-are-encoded-twice',
    title: 'Encodes each answer twice.',
    cause: 'every request gets an answer that is a JSON text that holds JSON: it is encoded twice',
    make: writing((body) => Buffer.from(JSON.stringify(body.toString()))),
  },
  {
    id: 'codes-are-numbers',
    title: 'Writes each code of digits as a number.',
    cause:
      /no request is accepted, and (most|many) get an answer that has a code that is the number \d+, and must be text such as "\d{5}"/,
    make: {
      merchantApi: answeringJson(({ code, ...others }) => ({
        code: /^\d+$/.test(String(code)) ? Number(code) : code,
        ...others,
      })),
    },
  },
  {
    id: 'envelope-with-other-names',
    title: 'Has errorCode, errorMsg and result in its envelope.',
    cause: 'every request gets an answer that has errorCode, errorMsg and result where code, message and data are due',
    make: {
      merchantApi: answeringJson(({ code, message, data = null, ...others }) => ({
        errorCode: code,
        errorMsg: message,
        result: data,
        ...others,
      })),
    },
  },
  {
    id: 'envelope-within-another',
    title: 'Puts each envelope under response.',
    cause: 'every request gets an answer that has its envelope under "response"',
    make: { merchantApi: answeringJson((response) => ({ response })) },
  },
  {
    id: 'successes-without-envelope',
    title: 'Answers with the data alone where it accepts.',
    cause: /no request is accepted, and (most|many) get an answer that has no envelope: \w+Id, /,
    make: { merchantApi: answeringJson((envelope) => (envelope.code === successCode ? envelope.data : envelope)) },
  },
  {
    id: 'refund-refusals-have-200',
    title: 'Answers every refusal of a refund operation with HTTP 200.',
    cause: 'every refusal by the operations of refunds has HTTP 200, whatever its code',
    make: {
      merchantApi: answering((answer, { target }) => (/\/refunds/.test(target) ? { ...answer, status: 200 } : answer)),
    },
  },
  {
    id: 'url-safe-signatures',
    title: 'Wants signatures in the URL-safe form of Base64, and so takes a right one only if it has neither + nor /.',
    cause: /refused with 90001, in some requests .*assay doctor --target/,
    make: {
      merchantApi: (request, server) =>
        isRightlySigned(request, server) && !/[+/]/.test(signatureIn(request))
          ? server.forward(request)
          : expectingMistake('signature-base64url')(request, server),
    },
  },
  {
    id: 'events-without-effect',
    title: 'Answers that an event of an order or a refund has taken effect, and does nothing.',
    cause: /states\.|payment-rule/,
    // An order that nothing has moved has done nothing wrong but that.
    breaks: /^(orders|checkout|refunds)\.(states\..*|payment-rule)$/,
    make: {
      control: async (request, server) => (/\/events$/.test(request.target) ? jsonAnswer({}) : server.forward(request)),
    },
  },
];
