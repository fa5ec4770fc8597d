import { expectLetThrough, needToldOf, saysNothing } from '../../arrange/authentication/passage.ts';
import { refundStatuses } from '../../arrange/authentication/refusals.ts';
import { timeWindow } from '../../arrange/authentication/rules/timestamps.ts';
import { noFurtherLetters } from '../../arrange/orders/any-order.ts';
import { ordersClient } from '../../arrange/orders/client.ts';
import { makeOrder, orderRequest } from '../../arrange/orders/orders.ts';
import { refundsClient } from '../../arrange/refunds/client.ts';
import { post } from '../../arrange/requests/arranged-operation.ts';
import type { SignedRequest } from '../../arrange/requests/signed-client.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectThat, isAccepted, isParameterRefusal, needAccepted, summary } from '../../check/expect.ts';
import { show } from '../../contract/show.ts';
import { Inconclusive, NotApplicable } from '../../errors/outcomes.ts';
import { type Answer, field } from '../../wire/exchange.ts';
import { wrongSignatures } from '../../wire/signing/mistakes.ts';
import { signatureOf, wrongSignatureOf } from '../../wire/signing/signature.ts';

/** Marks that stand in a query as they are, and that some libraries escape or leave out when they write one anew (RFC 3986, section 3.4). */
const marksOfQueries = "o'neil(1)*!~$,:@/?=";

/** Questions about signatures and timestamps that the contract leaves open, or makes depend on an open point. */
export const authEdgeChecks: readonly CheckDeclaration[] = [
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
        sign: wrongSignatureOf,
      });
      // The refusal of a signature says nothing about the letters. Where both refusals have one code, the message tells them apart.
      const isAboutSignature =
        field(answer, 'code') === field(wrong, 'code') && /signature/i.test(String(field(answer, 'message')));
      if (!isAboutSignature && isParameterRefusal(answer)) throw new NotApplicable(noFurtherLetters);
      expectLetThrough(context, answer, 'a body with letters beyond ASCII');
    },
  },
  {
    id: 'auth.refunds.query.query-plus',
    title:
      'A query with a plus sign, or with other marks that a query may have as they are, is not taken for wrongly signed where it is signed as sent',
    calls: ['refunds'],
    requirements: ['auth.signature.query'],
    async run(context) {
      const client = refundsClient(context, await context.merchant());
      const ask = (id: string) =>
        client.send({ method: 'GET', path: client.refundsPath, query: `merchantRefundOrderId=${id}` });
      const id = context.newOrderId();
      const twin = await ask(id);
      const isUnauthenticated = ({ status }: Answer) => refundStatuses['failed-signature']?.includes(status) === true;
      if (isUnauthenticated(twin)) {
        throw new Inconclusive(
          'a query without a plus sign is refused as wrongly signed too, which other checks judge',
        );
      }
      needToldOf(twin, 'a query without a plus sign');
      // Whether a plus sign stands for itself or for a blank is not said; nothing is found either way.
      for (const end of ['+a+b', marksOfQueries]) {
        const answer = await ask(`${id}${end}`);
        if (saysNothing(answer)) continue;
        expectThat(!isUnauthenticated(answer), answer, {
          expected: `a query that ends in ${end} is not refused as wrongly signed, because it is signed as sent`,
          actual: summary(answer),
        });
      }
    },
  },
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
  {
    id: 'auth.timestamp.edge',
    title: 'What a request is answered with that is exactly as old, or as early, as the time window allows',
    calls: ['orders'],
    requirements: ['auth.timestamp.edge'],
    async run(context) {
      const client = ordersClient(context, await context.merchant());
      needAccepted(await client.create(orderRequest(context)), 'an ordinary create');
      const createAt = (offset: number) =>
        client.send({
          ...post(client.createPath, orderRequest(context)),
          timestamp: String(context.now() + offset),
        });
      const [old, early] = await Promise.all([createAt(-timeWindow), createAt(timeWindow)]);
      const seen = `${timeWindow / 1000} s ago: ${summary(old)}; ${timeWindow / 1000} s ahead: ${summary(early)}`;
      // The way through the network decides on which side of the edge a request arrives, so no value can be told.
      context.observeIn([old, early], 'timestamp-boundary', seen);
    },
  },
];
