import { signatureMistakes } from '../../../generated/catalogue.ts';
import type { RequirementId, SignatureMistakeCode } from '../../../generated/catalogue-ids.ts';
import { available, expectChangeRefused, refusalCheck } from '../../arrange/authentication/refusals.ts';
import { areasOf, creates, plainQueries } from '../../arrange/operations.ts';
import { noFurtherLetters } from '../../arrange/orders/any-order.ts';
import { ordersClient } from '../../arrange/orders/client.ts';
import { createOrder } from '../../arrange/orders/operations.ts';
import { makeOrder, orderRequest } from '../../arrange/orders/orders.ts';
import { post } from '../../arrange/requests/arranged-operation.ts';
import type { SignedRequest } from '../../arrange/requests/signed-client.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import {
  expectAccepted,
  expectRefused,
  expectThat,
  isAccepted,
  isParameterRefusal,
  needAccepted,
  summary,
} from '../../check/expect.ts';
import { show } from '../../contract/show.ts';
import { NotApplicable } from '../../errors/outcomes.ts';
import { type Answer, field } from '../../wire/exchange.ts';
import { wrongSignatures } from '../../wire/signing/mistakes.ts';
import { signatureOf } from '../../wire/signing/signature.ts';

/** A text with another character in the place of its first one. */
const altered = (text: string) => (text.startsWith('A') ? 'B' : 'A') + text.slice(1);

const swapCase = (text: string) =>
  text.replace(/[a-z]/gi, (letter) => (letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase()));

const rightSignatures: readonly CheckDeclaration[] = [
  {
    id: 'auth.signed.create',
    title: 'A rightly signed create is accepted, whatever its bytes',
    calls: ['orders'],
    requirements: ['auth.signature.algorithm', 'auth.signature.body', 'auth.content-type'],
    async run(context) {
      const client = ordersClient(context, await context.merchant());
      needAccepted(await client.create(orderRequest(context)), 'an ordinary create');
      const bodies: [string, string][] = [
        ['space between its parts', JSON.stringify(orderRequest(context), null, 4)],
        ['a line feed at its end', `${JSON.stringify(orderRequest(context))}\n`],
      ];
      for (const [what, body] of bodies) {
        const answer = await client.send({ method: 'POST', path: client.createPath, body: Buffer.from(body) });
        expectAccepted(answer, `a body with ${what}`, 'auth.signature.body');
      }
    },
  },
  {
    id: 'auth.signed.letters',
    title: 'A rightly signed create with letters beyond ASCII is accepted, where such letters are',
    calls: ['orders'],
    requirements: ['auth.signature.body'],
    async run(context) {
      const client = ordersClient(context, await context.merchant());
      const twin = await client.create(orderRequest(context, { description: 'Two tickets' }));
      needAccepted(twin, 'the same create in ASCII');
      const request = orderRequest(context, { description: 'Zażółć gęślą jaźń – 税込 – 🧾' });
      const answer = await client.create(request);
      const wrong = await client.send({
        ...post(client.createPath, orderRequest(context)),
        sign: (signed, secret) => altered(signatureOf(signed, secret)),
      });
      // The refusal of a signature says nothing about the letters. Where both refusals have one code, the message tells them apart.
      const isAboutSignature =
        field(answer, 'code') === field(wrong, 'code') && /signature/i.test(String(field(answer, 'message')));
      if (!isAboutSignature && isParameterRefusal(answer)) throw new NotApplicable(noFurtherLetters);
      expectAccepted(answer, 'a body with letters beyond ASCII');
    },
  },
  {
    id: 'auth.signed.query',
    title: 'A query signed over timestamp, method and path is accepted',
    calls: ['orders'],
    requirements: ['auth.signature.without-body', 'auth.signature.components'],
    async run(context) {
      const order = await makeOrder(context, await context.merchant());
      expectAccepted(await order.query(), 'a rightly signed query');
    },
  },
  {
    id: 'auth.orders-failure',
    title: 'A hosted operation answers a failed authentication with HTTP 200 and the failure envelope',
    calls: ['orders'],
    requirements: ['auth.orders-failure'],
    openPoint: 'orders-auth-failure',
    async run(context) {
      const answer = await expectChangeRefused(
        context,
        [createOrder],
        'a create with a wrong signature',
        (request) => ({
          ...request,
          sign: (signed, secret) => altered(signatureOf(signed, secret)),
        }),
      );
      const code = show(field(answer, 'code'));
      const values: Record<string, string> = { '90001': 'own-codes', '10001': 'invalid-parameter' };
      const value = answer.status === 401 ? 'http-401' : (values[code] ?? null);
      context.observeIn(answer, 'orders-auth-failure', `a wrong signature: HTTP ${answer.status}, code ${code}`, value);
      expectThat(answer.status === 200, answer, { expected: 'HTTP 200', actual: `HTTP ${answer.status}` });
      expectThat(field(answer, 'data.status') === 'FAILED', answer, {
        expected: 'data.status = FAILED',
        actual: `data.status = ${show(field(answer, 'data.status'))}`,
      });
    },
  },
];

/** One part of a rightly signed request that is changed after signing. */
const tampered: readonly CheckDeclaration[] = [
  refusalCheck({
    id: 'auth.tampered.body',
    title: 'A body that was changed after signing is refused',
    requirements: ['auth.signature.body', 'auth.signature.components'],
    what: 'a create whose body has one more space than was signed',
    change: (request) => ({
      ...request,
      body: Buffer.concat([request.body ?? Buffer.alloc(0), Buffer.from(' ')]),
      sign: (signed, secret) => signatureOf({ ...signed, body: request.body }, secret),
    }),
  }),
  refusalCheck({
    id: 'auth.tampered.timestamp',
    title: 'A timestamp that was changed after signing is refused',
    requirements: ['auth.timestamp.signed', 'auth.signature.components'],
    what: 'a create whose X-Timestamp is one millisecond off the signed one',
    change: (request) => ({
      ...request,
      sign: (signed, secret) => signatureOf({ ...signed, timestamp: String(Number(signed.timestamp) - 1) }, secret),
    }),
  }),
  refusalCheck({
    id: 'auth.tampered.method',
    title: 'A signature made for another method is refused',
    requirements: ['auth.signature.method', 'auth.signature.components'],
    what: 'a create signed as PUT',
    change: (request) => ({ ...request, sign: (signed, secret) => signatureOf({ ...signed, method: 'PUT' }, secret) }),
  }),
  refusalCheck({
    id: 'auth.tampered.path',
    title: 'A signature made for another path is refused',
    requirements: ['auth.signature.path', 'auth.signature.components'],
    what: 'a create signed for another path',
    change: (request) => ({
      ...request,
      sign: (signed, secret) => signatureOf({ ...signed, path: `${signed.path}/another` }, secret),
    }),
  }),
  refusalCheck({
    id: 'auth.tampered.query-path',
    title: 'A query signed for another order is refused',
    requirements: ['auth.signature.path', 'auth.signature.without-body'],
    what: 'a query signed for the path of another order',
    change: (request) => ({
      ...request,
      sign: (signed, secret) => signatureOf({ ...signed, path: `${signed.path}x` }, secret),
    }),
    operations: plainQueries,
  }),
  refusalCheck({
    id: 'auth.tampered.query-string',
    title: 'A query string that was added after signing is refused',
    requirements: ['auth.signature.query'],
    what: 'a GET with a query string that was not signed',
    change: (request) => ({
      ...request,
      query: 'a=1',
      sign: ({ query: _unsigned, ...signed }, secret) => signatureOf(signed, secret),
    }),
    operations: plainQueries,
  }),
  refusalCheck({
    id: 'auth.tampered.signature',
    title: 'A signature with one character changed is refused',
    requirements: ['auth.signature.algorithm'],
    what: 'a create whose signature has another first character',
    change: (request) => ({ ...request, sign: (signed, secret) => altered(signatureOf(signed, secret)) }),
  }),
  refusalCheck({
    id: 'auth.tampered.signature-case',
    title: 'A signature with capital letters for small ones, and small ones for capitals, is refused',
    requirements: ['auth.signature.algorithm'],
    what: 'a create whose signature has its letters in the other case',
    change: (request) => ({ ...request, sign: (signed, secret) => swapCase(signatureOf(signed, secret)) }),
  }),
  refusalCheck({
    id: 'auth.tampered.signature-end',
    title: 'A signature with something behind it is refused',
    requirements: ['auth.signature.algorithm'],
    what: 'a create whose signature is followed by more characters',
    change: (request) => ({ ...request, sign: (signed, secret) => `${signatureOf(signed, secret)}AAAA` }),
  }),
];

/** The requirement that each mistake of the vectors breaks, where it is not the algorithm of the signature. */
const requirementOfMistake: readonly [prefix: string, requirement: RequirementId][] = [
  ['timestamp-', 'auth.timestamp.signed'],
  ['method-', 'auth.signature.method'],
  ['path-', 'auth.signature.path'],
  ['query-', 'auth.signature.query'],
  ['body-empty-', 'auth.signature.without-body'],
  ['body-', 'auth.signature.body'],
  ['hash-', 'auth.signature.hash-form'],
  ['separator-', 'auth.signature.components'],
  ['trailing-', 'auth.signature.components'],
];

/** Mistakes that another check shows. */
const shownElsewhere: readonly SignatureMistakeCode[] = [
  'signature-base64url', // the same bytes in another encoding, which auth.mistake.signature-base64url only observes
  'secret-of-another-merchant', // auth.other-merchant.secret
  'timestamp-of-another-request', // auth.tampered.timestamp
];

/** For every mistake of the vectors that a create or a plain query can show, a check that its signature is refused. */
const mistakes: readonly CheckDeclaration[] = signatureMistakes
  .filter(({ code }) => !shownElsewhere.includes(code) && !code.startsWith('query-'))
  .filter(({ code }) => !['path-with-query', 'path-decoded'].includes(code))
  .map(({ code, what }) => {
    const requirement =
      requirementOfMistake.find(([prefix]) => code.startsWith(prefix))?.[1] ?? 'auth.signature.algorithm';
    const operations = code === 'body-empty-hashed' ? plainQueries : creates;
    return {
      id: `auth.mistake.${code}`,
      title: `Refused: ${what.charAt(0).toLowerCase()}${what.slice(1).replace(/\.$/, '')}`,
      calls: areasOf(operations),
      requirements: [requirement, 'auth.refused-changes-nothing'],
      async run(context) {
        const spaced = (body: Uint8Array) =>
          // Space around and inside the body shows whether the target hashes the bytes it received or the JSON it parsed.
          Buffer.from(` ${JSON.stringify(JSON.parse(Buffer.from(body).toString('utf8')), null, 1)}\n`);
        await expectChangeRefused(context, operations, what, (request) => ({
          ...request,
          body: request.body && spaced(request.body),
          sign: (signed, secret) => {
            const [wrong] = wrongSignatures[code](signed, secret, { origin: new URL(context.target).origin });
            if (wrong === undefined)
              throw new NotApplicable('neither this request nor this secret can show the mistake');
            return wrong;
          },
        }));
      },
    };
  });

const edges: readonly CheckDeclaration[] = [
  {
    id: 'auth.bare-question-mark',
    title: 'How a GET is signed whose path is followed by a bare question mark',
    calls: ['orders'],
    requirements: ['auth.signature.edges'],
    async run(context) {
      const order = await makeOrder(context, await context.merchant());
      const request = { method: 'GET', path: order.client.queryPath(order.request.merchantOrderId), query: '' };
      const word = (answer: Answer) => (isAccepted(answer) ? 'accepted' : show(field(answer, 'code')));
      const unsigned = await order.client.send(request);
      const hashed = await order.client.send({
        ...request,
        sign: (signed, secret) => {
          const [withHash] = wrongSignatures['body-empty-hashed'](signed, secret, { origin: context.target });
          return withHash ?? signatureOf(signed, secret);
        },
      });
      const value = isAccepted(hashed) ? 'bare-mark-hashed' : null;
      context.observeIn(
        [unsigned, hashed],
        'signature-edges',
        `signed without a hash: ${word(unsigned)}; with the hash of nothing: ${word(hashed)}`,
        isAccepted(unsigned) ? 'bare-mark-unsigned' : value,
      );
    },
  },
  {
    id: 'auth.signature.edges',
    title: 'How a POST with a query, a POST without a byte and a path with a prefix are signed',
    calls: ['orders'],
    requirements: ['auth.signature.edges'],
    async run(context) {
      const client = ordersClient(context, await context.merchant());
      needAccepted(await client.create(orderRequest(context)), 'an ordinary create');
      const create = () => ({ ...post(client.createPath, orderRequest(context)), query: 'assay=1' });
      const empty = { method: 'POST', path: client.createPath, body: Buffer.alloc(0) };
      const { pathname } = new URL(context.target);
      const asked: [string, SignedRequest][] = [
        [
          'a POST with a query that is not signed',
          { ...create(), sign: ({ query: _left, ...signed }, secret) => signatureOf(signed, secret) },
        ],
        [
          'one whose query is signed in the place of its body',
          { ...create(), sign: (signed, secret) => signatureOf({ ...signed, body: undefined }, secret) },
        ],
        [
          'a POST without a byte, signed with the hash of nothing',
          {
            ...empty,
            sign: (signed, secret) =>
              wrongSignatures['body-empty-hashed']({ ...signed, body: undefined }, secret, {
                origin: context.target,
              })[0] ?? signatureOf(signed, secret),
          },
        ],
        [
          'one signed without a hash',
          { ...empty, sign: (signed, secret) => signatureOf({ ...signed, body: undefined }, secret) },
        ],
      ];
      const answers: [string, Answer][] = [];
      for (const [what, request] of asked) answers.push([what, await client.send(request)]);
      const seen = answers.map(([what, answer]) => `${what}: ${summary(answer)}`);
      const prefix = `the path prefix ${pathname === '/' ? 'is empty here' : `${pathname} is signed`}`;
      context.observeIn(
        answers.map(([, answer]) => answer),
        'signature-edges',
        [...seen, prefix].join('; '),
      );
    },
  },
  {
    id: 'auth.mistake.signature-base64url',
    title: 'Whether the bytes of a signature may be written in the URL-safe form of Base64, or without padding',
    calls: ['orders'],
    requirements: ['auth.signature.text'],
    async run(context) {
      const client = ordersClient(context, await context.merchant());
      needAccepted(await client.create(orderRequest(context)), 'an ordinary create');
      const forms: [string, (signature: string) => string][] = [
        ['URL-safe, without padding', (signature) => Buffer.from(signature, 'base64').toString('base64url')],
        ['without padding', (signature) => signature.replace(/=+$/, '')],
      ];
      const answers: Answer[] = [];
      for (const [, write] of forms) {
        const request = post(client.createPath, orderRequest(context));
        answers.push(await client.send({ ...request, sign: (signed, secret) => write(signatureOf(signed, secret)) }));
      }
      const seen = forms.map(([what], index) => `${what}: ${answers[index] ? summary(answers[index]) : 'no answer'}`);
      const taken = answers.filter(isAccepted).length;
      const value = taken === 0 ? 'standard' : taken === answers.length ? 'any' : undefined;
      context.observeIn(answers, 'signature-text', seen.join('; '), value);
    },
  },
];

/** Types of a body that is JSON all the same, each with the level of its check and whether it must be understood. */
const contentTypes: readonly CheckDeclaration[] = [
  {
    id: 'auth.content-type.charset',
    title: 'A body is understood whose content type has a charset, or is written in capital letters',
    calls: areasOf(creates),
    requirements: ['auth.content-type'],
    async run(context) {
      for (const type of ['application/json; charset=utf-8', 'application/json;charset=UTF-8', 'Application/JSON']) {
        const { operation, answer } = await createAs(context, type);
        expectAccepted(answer, `${operation.noun} with Content-Type ${type}`);
      }
    },
  },
  {
    id: 'auth.content-type.other',
    title: 'A body that is sent as plain text or as form data is refused',
    calls: areasOf(creates),
    requirements: ['auth.content-type.other'],
    async run(context) {
      for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
        const { operation, answer } = await createAs(context, type);
        expectRefused(answer, `${operation.noun} with Content-Type ${type}`);
      }
    },
  },
  {
    id: 'auth.content-type.absent',
    title: 'What a body without a content type is answered with',
    calls: areasOf(creates),
    requirements: ['auth.content-type.missing'],
    async run(context) {
      const { answer } = await createAs(context, undefined);
      const value = isAccepted(answer) ? 'optional' : 'required';
      context.observeIn(answer, 'content-type', `a body without Content-Type: ${summary(answer)}`, value);
    },
  },
];

/** Sends a right create with another content type, after an ordinary one was accepted. `undefined`: without one. */
async function createAs(context: CheckContext, type: string | undefined) {
  const operation = available(context, creates);
  const merchant = await context.merchant();
  const right = await operation.prepare(context, merchant);
  needAccepted(await right.client.send(right.request), `${operation.noun} as application/json`);
  const { client, request } = await operation.prepare(context, merchant);
  return { operation, answer: await client.send({ ...request, headers: { 'Content-Type': type } }) };
}

export const authSignatureChecks: readonly CheckDeclaration[] = [
  ...rightSignatures,
  ...tampered,
  ...mistakes,
  ...edges,
  ...contentTypes,
];
