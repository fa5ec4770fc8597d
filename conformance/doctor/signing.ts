import { limit, type SignatureMistake, signatureMistakes } from '../../generated/catalogue.ts';
import { type SignedRequest, signedClient } from '../arrange/requests/signed-client.ts';
import type { CheckContext } from '../check/context.ts';
import { authenticationErrorCodes, errorCode } from '../contract/error-codes.ts';
import { type Answer, field, redirectIn } from '../wire/exchange.ts';
import { isUnexplained } from '../wire/interruptions.ts';
import { wrongSignatures } from '../wire/signing/mistakes.ts';
import { type RequestToSign, wrongSignatureOf } from '../wire/signing/signature.ts';
import { isWithoutOperation } from './areas.ts';
import { ask, type Question } from './questions.ts';

/** A request that changes nothing, whatever its answer. */
interface Sample {
  /** What the request has that another has not. */
  what: string;
  request: Pick<SignedRequest, 'method' | 'query' | 'body'>;
  /** The path after that of the merchant. */
  path: string;
}

/** What a target expects in place of the contract's signature. */
export interface ExpectedInstead {
  what: Sample['what'];
  /** `undefined`: it makes no known mistake, and takes other right signatures. */
  mistake: Pick<SignatureMistake, 'what' | 'cure'> | undefined;
  /** Without a known mistake, whether it has refused all right signatures of this kind of request. */
  all?: boolean;
}

/** A request of each kind that is signed in its own way, in areas that the target has. */
function samplesFor(context: CheckContext): Sample[] {
  const id = context.newOrderId();
  const product = context.has('orders') ? '/orders' : '/checkout/orders';
  const query = `refundOrderId=${id.replaceAll('-', '%2D')}&merchantRefundOrderId=${id}`;
  const body = Buffer.from('{ "assay":  "a body without the fields of a create" }');
  return [
    ...(context.has('orders') || context.has('checkout')
      ? [
          { what: 'a request without query and body', path: `${product}/${id}`, request: { method: 'GET' } },
          {
            what: 'a request with percent encodings in its path',
            path: `${product}/${id.replaceAll('-', '%2D')}`,
            request: { method: 'GET' },
          },
          { what: 'a request with a body', path: product, request: { method: 'POST', body } },
        ]
      : []),
    ...(context.has('refunds')
      ? [{ what: 'a request with a query', path: '/refunds', request: { method: 'GET', query } }]
      : []),
  ];
}

const secondsInHeader: ExpectedInstead['mistake'] = {
  what: 'X-Timestamp holds seconds',
  cure: 'read X-Timestamp as milliseconds since 1970',
};

/**
 * Finds the usual mistakes of a target that verifies signatures: for each kind of request, whether it refuses the right
 * signature like a wrong one and takes a signature that was made with a mistake.
 */
export async function expectedInstead(context: CheckContext): Promise<ExpectedInstead[]> {
  const samples = samplesFor(context);
  const found = (await Promise.all(samples.map((sample) => mistakeOf(context, sample)))).flat();
  const takesNone = found.length === samples.length && found.every(({ all }) => all === true);
  return takesNone ? [] : found;
}

async function mistakeOf(context: CheckContext, { what, path, request }: Sample): Promise<ExpectedInstead[]> {
  const merchant = await context.merchant();
  const client = signedClient(context, merchant);
  const send = (changes: Partial<SignedRequest> = {}) =>
    client.send({ ...request, path: `${client.basePath}${path}`, ...changes });
  const refusal = await send({ sign: wrongSignatureOf });
  if (!isOfApi(refusal)) return [];
  // A right signature may happen to be one with the mistake, such as one without + and / in the URL-safe form of Base64.
  const rights: Answer[] = [];
  for (let count = 0; count < rightOnes; count += 1) rights.push(await send());
  const refused = rights.filter((right) => alike(right, refusal));
  if (refused.length === 0) return [];
  /** An answer that could not be read, or that fails for another reason, takes no signature. */
  const isTaken = (answer: Answer) =>
    typeof field(answer, 'code') === 'string' &&
    !isUnexplained(answer, undefined) &&
    !alike(answer, refusal) &&
    !isAuthenticationRefusal(answer);
  const inSeconds = await send({ timestamp: String(Math.floor(context.now() / 1000)) });
  const longAgo = await send({ timestamp: '12' });
  if (isTaken(inSeconds) && !alike(inSeconds, longAgo)) return [{ what, mistake: secondsInHeader }];
  // Whatever is signed, nothing gets past another clock.
  if (refused.some(isExpired)) return [];
  const other = { origin: new URL(context.target).origin, apiKey: merchant.apiKey };
  for (const mistake of signatureMistakes) {
    // How often a mistake can be made differs from request to request, so the next one is made until there is none.
    for (let number = 0, made = true; made; number += 1) {
      made = false;
      const sign = (signed: RequestToSign, secret: string): string => {
        const wrong = wrongSignatures[mistake.code](signed, secret, other)[number];
        made = wrong !== undefined;
        return wrong ?? wrongSignatureOf(signed, secret);
      };
      const answer = await send({ sign });
      if (made && isTaken(answer) && isTaken(await send({ sign }))) return [{ what, mistake }];
    }
  }
  return refused.some(isAuthenticationRefusal) ? [{ what, mistake: undefined, all: !rights.some(isTaken) }] : [];
}

/** How many right signatures of a kind of request are tried. */
const rightOnes = 3;

/** True unless the answer is a redirect, a page or that of a server without the operation. */
const isOfApi = (answer: Answer) =>
  redirectIn(answer) === undefined && /^\s*\{/.test(answer.text) && !isWithoutOperation(answer);

const expiredCodes: readonly unknown[] = (['orders', 'checkout', 'refunds'] as const).map((area) =>
  errorCode(area, 'TIMESTAMP_EXPIRED'),
);

/** True for the refusal of a request for its time. */
export const isExpired = (answer: Answer): boolean => expiredCodes.includes(field(answer, 'code'));

const isAuthenticationRefusal = (answer: Answer) => authenticationErrorCodes.includes(String(field(answer, 'code')));

/** The step in which another clock is sought: as long as the whole time, before and after its own, in which a clock accepts a request. */
const clockStep = limit('auth.timestamp.window', 'max') * 2;

/** The differences at which another clock is sought: an hour in small steps, and then the half hours by which zones differ. */
const clockOffsets = [
  ...Array.from({ length: 6 }, (_, index) => (index + 1) * clockStep),
  ...Array.from({ length: 26 }, (_, index) => (index + 3) * 1_800_000),
].flatMap((offset) => [offset, -offset]);

/**
 * By how many milliseconds the clock is ahead of ours by which a target verifies that refuses the present time, to within the time in which
 * it accepts a request. `undefined`: it accepts no time that was tried.
 */
export async function verifyingClock(context: CheckContext, question: Question): Promise<number | undefined> {
  for (const offset of clockOffsets) {
    const answer = await ask(context, question, undefined, String(Date.now() + offset));
    if (field(answer, 'code') === question.code) return offset;
  }
  return undefined;
}

/** True when two answers have the same status and code. */
export const alike = (left: Answer, right: Answer): boolean =>
  left.status === right.status && field(left, 'code') === field(right, 'code');
