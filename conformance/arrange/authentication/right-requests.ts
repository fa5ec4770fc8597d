import { signatureMistakes } from '../../../generated/catalogue.ts';
import type { RequirementId } from '../../../generated/catalogue-ids.ts';
import type { CheckContext } from '../../check/context.ts';
import { countJudged, expectThat, isAccepted, needAccepted, summary } from '../../check/expect.ts';
import type { ContractOperation } from '../../contract/operations.ts';
import { show } from '../../contract/show.ts';
import { successCode } from '../../contract/success-code.ts';
import { Inconclusive, NeedNotMet, NotApplicable } from '../../errors/outcomes.ts';
import type { Answer } from '../../wire/exchange.ts';
import { wrongSignatures } from '../../wire/signing/mistakes.ts';
import { signatureOf } from '../../wire/signing/signature.ts';
import type { ArrangedOperation } from '../requests/arranged-operation.ts';
import { type SignedClient, type SignedRequest, signedClient } from '../requests/signed-client.ts';
import { furtherHeaders } from '../requests/ways-to-send.ts';
import { type SentRequest, sentRequest } from './accepted-request.ts';
import {
  escapedBody,
  escapesInSmallLetters,
  headersInCapitals,
  headersInSmallLetters,
  headersWithTabs,
  pathEscaped,
  queryEscaped,
  queryOfTwo,
  spacedBody,
} from './as-sent.ts';
import { needOwnAnswer, needToldOf, passageOf } from './passage.ts';
import { mistakeInWords } from './refusals.ts';
import { hasBody, hasQuery } from './rule.ts';
import { margin, needPrompt, timeWindow } from './rules/timestamps.ts';

/** A request in an unusual form that is right nevertheless: whichever operation receives it accepts it. */
export interface RightForm {
  /** The last word of the ids of its checks. */
  readonly name: string;
  /** The form in words that follow the noun of an operation, for titles. */
  readonly words: string;
  readonly requirements: (operation: ContractOperation) => readonly [RequirementId, ...RequirementId[]];
  /** The operations that have it. Absent: all of them. */
  readonly binds?: (operation: ContractOperation) => boolean;
  /** The request must be understood, too: a refusal that comes after its authentication breaks the rule as well. */
  readonly understood?: true;
  /** The check that judges a refusal for another reason than the signature. Absent: this form's own check judges it too. */
  readonly otherRefusals?: string;
  /** The requests in this form, each in words that follow the noun of its operation. */
  readonly requests: (
    right: SignedRequest,
    sent: SentRequest,
    context: CheckContext,
  ) => readonly (readonly [words: string, request: SignedRequest])[];
  /** The same request signed in another way that the contract permits too; `undefined`: there is none. Absent: there is none for any. */
  readonly alsoRight?: (request: SignedRequest) => SignedRequest | undefined;
}

const inside = (name: string, side: string, direction: -1 | 1): RightForm => {
  const words = `with an X-Timestamp ${(timeWindow - margin) / 1000} s in the ${side}`;
  return {
    name,
    words,
    requirements: () => ['auth.timestamp.window'],
    requests: (right, _, context) => [
      [words, { ...right, timestamp: String(context.now() + direction * (timeWindow - margin)) }],
    ],
  };
};

/** Signs a request without a body as one with a body of no bytes. A query has its own hash. */
const withHashOfNothing: NonNullable<SignedRequest['sign']> = (signed, secret) =>
  signatureOf(signed.query === undefined ? { ...signed, body: Buffer.alloc(0) } : signed, secret);

const withType = (right: SignedRequest, type: string) =>
  [`with Content-Type ${type}`, { ...right, headers: { 'Content-Type': type } }] as const;

/** The sentence on the last part of what an operation signs. */
export function partOf(operation: ContractOperation): [RequirementId] {
  if (hasBody(operation)) return ['auth.signature.body'];
  return [hasQuery(operation) ? 'auth.signature.query' : 'auth.signature.without-body'];
}

/** Every form of a right request, each named once. */
export const rightForms: readonly RightForm[] = [
  inside('inside-past', 'past', -1),
  inside('inside-future', 'future', 1),
  {
    name: 'path-as-sent',
    words: 'with needless escapes in its path, signed over the path as sent',
    requirements: () => ['auth.signature.path'],
    requests: (right) => {
      const escaped = pathEscaped(right);
      return [
        ['with needless escapes in its path, signed over the path as sent', escaped],
        [
          'with needless escapes in small letters in its path, signed over the path as sent',
          { ...escaped, path: escapesInSmallLetters(escaped.path) },
        ],
      ];
    },
  },
  {
    name: 'query-as-sent',
    words: 'with two ids in any order and with needless escapes, signed over the query as sent',
    requirements: () => ['auth.signature.query'],
    binds: hasQuery,
    otherRefusals: 'refunds.query.priority',
    requests: (right, { answer }) => {
      const escaped = queryEscaped(right, answer);
      return [
        ['with two ids out of alphabetical order, signed over the query as sent', queryOfTwo(right, answer)],
        ['with needless escapes in its query, signed over the query as sent', escaped],
        [
          'with needless escapes in small letters in its query, signed over the query as sent',
          { ...escaped, ...(escaped.query !== undefined && { query: escapesInSmallLetters(escaped.query) }) },
        ],
      ];
    },
  },
  {
    name: 'body-as-sent',
    words: 'with space around and inside its body, signed over the body as sent',
    requirements: () => ['auth.signature.body', 'auth.signature.algorithm'],
    binds: hasBody,
    requests: (right) => [['with space around and inside its body, signed over the body as sent', spacedBody(right)]],
  },
  {
    name: 'body-escaped',
    words: 'with needless escapes in its body and the fields in another order, signed over the body as sent',
    requirements: () => ['general.json', 'auth.signature.body'],
    binds: hasBody,
    requests: (right) => [
      [
        'with needless escapes in its body and the fields in another order, signed over the body as sent',
        escapedBody(right),
      ],
    ],
  },
  {
    name: 'headers',
    words: 'whose headers have names in small letters or in capitals, and blanks or tabs around their values',
    requirements: () => ['auth.headers'],
    requests: (right) => [
      ['whose headers have names in small letters and blanks around their values', headersInSmallLetters(right)],
      ['whose headers have names in capitals', headersInCapitals(right)],
      ['whose headers have tabs around their values', headersWithTabs(right)],
    ],
  },
  {
    name: 'further-headers',
    words: 'with the headers that browsers, tracers and proxies add',
    requirements: (operation) => [...partOf(operation), 'general.json'],
    requests: (right) => [
      ['with the headers that browsers, tracers and proxies add', { ...right, headers: furtherHeaders }],
    ],
  },
  {
    name: 'content-type',
    words: 'whose Content-Type has a charset, or is written in capital letters',
    requirements: () => ['auth.content-type'],
    understood: true,
    binds: hasBody,
    requests: (right) => [
      // A body is read as text where its charset is named, and text is easily trimmed.
      withType(spacedBody(right), 'application/json; charset=utf-8'),
      withType(right, 'application/json;charset=UTF-8'),
      withType(right, 'application/json; charset="utf-8"'),
      withType(right, 'APPLICATION/JSON'),
    ],
  },
  {
    name: 'content-type-without-body',
    words: 'that has no body and names a Content-Type, or a Content-Length of 0, nevertheless',
    requirements: partOf,
    binds: (operation) => !hasBody(operation),
    requests: (right) => [
      withType(right, 'application/json'),
      ['with Content-Length 0', { ...right, headers: { 'Content-Length': '0' } }],
    ],
    // What is signed for a body of no bytes is open (signature-edges).
    alsoRight: (request) =>
      request.headers?.['Content-Length'] === '0' ? { ...request, sign: withHashOfNothing } : undefined,
  },
];

/** Shows that an ordinary request is accepted, and fails unless every request in this form is accepted too. */
export async function expectAcceptedAs(
  context: CheckContext,
  operation: ArrangedOperation,
  form: RightForm,
): Promise<void> {
  const sent = await sentRequest(context, operation);
  needAccepted(sent.answer, `${operation.noun}, rightly signed`);
  const merchant = await context.merchant();
  const client = signedClient(context, merchant);
  const count = form.requests(sent.request, sent, context).length;
  const sendOne = async (index: number) => {
    const right = await rightRequest(context, operation, sent);
    const made = performance.now();
    const [words, request] = form.requests(right, sent, context)[index] ?? ['', right];
    const first = await client.send(request);
    const other = isAccepted(first) ? undefined : form.alsoRight?.(request);
    const second = other && (await client.send(other));
    const answer = second && isAccepted(second) ? second : first;
    if (!isAccepted(answer) && request.timestamp !== undefined) needPrompt(made);
    return { words, request, answer };
  };
  const tried = await Promise.all(Array.from({ length: count }, (_, index) => sendOne(index)));
  for (const { words, request, answer } of tried) {
    if (isAccepted(answer)) {
      countJudged(answer);
      continue;
    }
    const what = `${operation.noun} ${words}`;
    needOwnAnswer(context, answer, what);
    if (passageOf(answer) === 'let-through' && !form.understood) {
      countJudged(answer);
      continue;
    }
    // A proxy that takes no such request answers otherwise than the contract, and still accepts an ordinary one.
    const isOfForm =
      passageOf(answer) === 'foreign' && isAccepted(await client.send(await rightRequest(context, operation, sent)));
    if (!isOfForm) needToldOf(answer, what);
    const accepted = await acceptedMistake(context, client, request);
    if (form.otherRefusals && answer.status !== 401 && !accepted) {
      throw new Inconclusive(`refused for another reason than its signature, which ${form.otherRefusals} judges`);
    }
    expectThat(false, answer, {
      expected: `${what}: code = ${show(successCode)}`,
      actual: `${summary(answer)}${accepted && `; the same request is accepted with one mistake: ${accepted}`}`,
    });
  }
}

/**
 * A right request to an operation whose right request was sent before: the same, or a new one where it makes a record. Throws
 * `NeedNotMet` where its success would use up a configured order.
 */
export async function rightRequest(
  context: CheckContext,
  operation: ArrangedOperation,
  sent: SentRequest,
): Promise<SignedRequest> {
  if (!sent.makes) return sent.request;
  const { request, twin } = await operation.prepare(context, await context.merchant());
  if (!twin) return request;
  throw new NeedNotMet('order-events', `${operation.noun} that is accepted would use up a paid order`);
}

/** The first signing mistake with which the target accepts a request that it refuses when rightly signed. Empty: none. */
async function acceptedMistake(context: CheckContext, client: SignedClient, right: SignedRequest): Promise<string> {
  const other = { origin: new URL(context.target).origin };
  for (const { code } of signatureMistakes.filter(({ code }) => /^(timestamp|path|query|body)-/.test(code))) {
    const answer = await client
      .send({
        ...right,
        sign: (signed, secret) => {
          const [wrong] = wrongSignatures[code](signed, secret, other);
          if (wrong === undefined) throw new NotApplicable('the request cannot show the mistake');
          return wrong;
        },
      })
      .catch(unlessUnanswered);
    if (answer && isAccepted(answer)) return mistakeInWords(code);
  }
  return '';
}

/** A mistake that cannot be made, or whose request was not answered, explains nothing. */
function unlessUnanswered(error: unknown): Answer | undefined {
  if (error instanceof NotApplicable || error instanceof Inconclusive) return undefined;
  throw error;
}
