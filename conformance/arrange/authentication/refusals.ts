import { type SignatureMistake, signatureMistakes } from '../../../generated/catalogue.ts';
import type { SignatureMistakeCode } from '../../../generated/catalogue-ids.ts';
import type { CheckContext } from '../../check/context.ts';
import { countJudged, expectThat, isAccepted, needAccepted, summary } from '../../check/expect.ts';
import { errorCode } from '../../contract/error-codes.ts';
import { show } from '../../contract/show.ts';
import { successCode } from '../../contract/success-code.ts';
import { Inconclusive, NotApplicable } from '../../errors/outcomes.ts';
import { type Answer, field } from '../../wire/exchange.ts';
import { wrongSignatures } from '../../wire/signing/mistakes.ts';
import { type ArrangedOperation, type PreparedRequest, post } from '../requests/arranged-operation.ts';
import { type SignedClient, type SignedRequest, signedClient } from '../requests/signed-client.ts';
import { type SentRequest, sentRequest } from './accepted-request.ts';
import { otherAddresses, pathEscaped } from './as-sent.ts';
import { keptInWords, needFailureOfMistake } from './passage.ts';
import { type AcceptedRequest, type AuthenticationRule, hasQuery, needsKey, type Refusal, type Way } from './rule.ts';
import { needPrompt } from './rules/timestamps.ts';

/** The HTTP statuses that refund operations may have for a refusal, where the contract names them: it does for signatures. */
export const refundStatuses: Readonly<Partial<Record<Refusal, readonly number[]>>> = {
  'failed-signature': [401],
  'malformed-signature': [401, 400],
};

/** The codes by which checkout operations refuse a failed authentication. */
const checkoutCodes = (['INVALID_SIGNATURE', 'TIMESTAMP_EXPIRED', 'INVALID_API_KEY'] as const).map((name) =>
  errorCode('checkout', name),
);

/**
 * Whether a checkout operation refuses a failed authentication with another 4xx status than 401. The contract leaves this status open, and
 * so it declares it nowhere.
 */
export const isOtherAuthFailure = (answer: Answer): boolean =>
  answer.status >= 400 &&
  answer.status !== 401 &&
  answer.status < 500 &&
  checkoutCodes.includes(String(field(answer, 'code')));

/** A changed request that was sent. */
interface Tried {
  way: Way;
  answer: Answer;
  /** Queries the record that it asked for. Absent: it asked for none. */
  find?: () => Promise<Answer>;
}

/**
 * Shows that a right request is accepted, and that it is refused and has no effect in every way in which it breaks `rule`, in the first one
 * also with needless escapes in its path, and without X-Api-Key where that need not be there. The ways go side by side. Returns the answer to the first of them. Throws
 * `NotApplicable` when no way changes anything.
 */
export async function expectRefusedBy(
  context: CheckContext,
  operation: ArrangedOperation,
  rule: AuthenticationRule,
): Promise<Answer> {
  const sent = await sentRequest(context, operation);
  needAccepted(sent.answer, `${operation.noun}, rightly signed`);
  const merchant = await context.merchant();
  const ways = [
    ...((await rule.ways?.({ context, merchant, operation, answer: sent.answer })) ?? []),
    ...(rule.mistakes ?? []).map((code) => mistaken(context, code)),
  ];
  const prepared = (request: SignedRequest) => rule.prepare?.(request, sent.answer) ?? request;

  const client = signedClient(context, merchant);
  // What was not sent itself, because its success would use up what other checks need, is not sent otherwise either.
  const changed = sent.makes && !sent.hasMade ? undefined : rule.acceptedAs?.(sent.request);
  // Where the target refuses it after all, what was signed is refused as well.
  const before = changed ? { ...sent, request: changed, answer: await client.send(changed) } : sent;
  const accepted = acceptedRequest(context, before);

  const right = sent.makes ? await (operation.prepareRefused ?? operation.prepare)(context, merchant) : undefined;
  const sendOne = async (way: Way, isRepeat = false): Promise<Tried | undefined> => {
    const fresh = right?.makes && !isRepeat ? withNewId(context, right, right.makes) : { request: sent.request };
    const made = performance.now();
    const changed = way.change(prepared(fresh.request), accepted);
    const answer = await client.send(changed).catch(way.mayHangUp ? unlessHungUp : unlessNotApplicable);
    if (answer && isAccepted(answer) && changed.timestamp !== undefined) needPrompt(made);
    return answer && { ...fresh, way, answer };
  };
  const repeats = rule.underTakenId && sent.hasMade ? ways.slice(0, 1).map(asRepeat) : [];
  const escaped = rule.prepare ? [] : ways.slice(0, 1).map(asEscaped);
  // Rules of the query itself have requests of their own for its ids.
  const byOtherIds =
    rule.prepare || rule.binds === hasQuery
      ? []
      : ways
          .slice(0, 1)
          .flatMap((way) => otherAddresses(operation, sent.answer).map((address) => asAskedBy(way, address)));
  const isAboutKey = ({ change }: Way) => 'X-Api-Key' in (change(prepared(sent.request), accepted).headers ?? {});
  const withoutKey = needsKey(operation)
    ? []
    : ways
        .slice(0, 1)
        .filter((way) => !isAboutKey(way))
        .map(asKeyless);
  const sending = [
    ...[...ways, ...escaped, ...byOtherIds, ...withoutKey].map((way) => sendOne(way)),
    ...repeats.map((way) => sendOne(way, true)),
  ];
  const tried = (await Promise.all(sending)).filter((each) => each !== undefined);
  const [first] = tried;
  if (!first) throw new NotApplicable('neither this request nor this secret can show it');

  await judgeAnswers(context, operation, rule, tried, sent);
  await judgeEffect(operation, first);
  right?.release?.();
  return first.answer;
}

const asRepeat = ({ words, change }: Way): Way => ({ words: `that repeats an accepted one, ${words}`, change });

/** A target may treat a path with escapes as another address, at which it forgets a rule. */
const asEscaped = ({ words, change, ...way }: Way): Way => ({
  ...way,
  words: `${words}, and with needless escapes in its path`,
  change: (request, accepted) => change(pathEscaped(request), accepted),
});

/** A target may find a thing by another id in another place, at which it forgets a rule. */
const asAskedBy = (
  { words, change, ...way }: Way,
  { words: address, change: readdressed }: ReturnType<typeof otherAddresses>[number],
): Way => ({
  ...way,
  words: `${words}, and asks ${address}`,
  change: (request, accepted) => change(readdressed(request), accepted),
});

const asKeyless = ({ words, change }: Way): Way => ({
  words: `${words}, and without X-Api-Key`,
  change: (request, accepted) => {
    const changed = change(request, accepted);
    return { ...changed, headers: { ...changed.headers, 'X-Api-Key': undefined } };
  },
});

/** A request that was accepted, with the timestamp and the signature that it was sent with. */
export function acceptedRequest({ transport }: CheckContext, { request, answer }: SentRequest): AcceptedRequest {
  const { headers = {} } = transport.exchanges[answer.exchange - 1]?.request ?? {};
  return { request, timestamp: headers['X-Timestamp'] ?? '', signature: headers['X-Signature'] ?? '' };
}

/** The form of a signature: 32 bytes in Base64. */
const signatureForm = /^[A-Za-z0-9+/]{43}=$/;

/** How the contract sees the signature that was sent: one of the right form does not count as a wrong parameter, whatever it was made of. */
function refusalOfSent({ transport }: CheckContext, refusal: Refusal, answer: Answer): Refusal {
  const { headers = {} } = transport.exchanges[answer.exchange - 1]?.request ?? {};
  const hasForm = signatureForm.test(String(headers['X-Signature']));
  return refusal === 'malformed-signature' && hasForm ? 'failed-signature' : refusal;
}

/** Sends a request again that the target has accepted. `undefined`: what it asks for was never sent. */
export function sentAgain(client: SignedClient, { request, makes, hasMade }: SentRequest) {
  return makes && !hasMade ? undefined : () => client.send(request);
}

async function judgeAnswers(
  context: CheckContext,
  operation: ArrangedOperation,
  { refusal }: AuthenticationRule,
  tried: readonly Tried[],
  sent: SentRequest,
): Promise<void> {
  const taken = tried.filter(({ answer }) => isAccepted(answer));
  const more = taken.slice(1).map(({ way }) => way.words);
  for (const { way, answer } of tried) {
    countJudged(answer);
    if (!isAccepted(answer)) continue;
    // Whether something keeps answers is looked for in all that was exchanged, and so only here.
    expectThat(false, answer, {
      expected: `${operation.noun} ${way.words}: refused, a code other than ${show(successCode)}`,
      actual: [
        `${summary(answer)}${keptInWords(context, answer)}`,
        ...(more.length > 0 ? [`accepted too: ${more.join('; ')}`] : []),
      ].join('; '),
    });
  }
  if (operation.area !== 'refunds') return;
  for (const { way, answer } of tried.filter(({ way: { otherRefusals } }) => !otherRefusals)) {
    const statuses = refundStatuses[refusalOfSent(context, refusal, answer)];
    if (!statuses || statuses.includes(answer.status)) {
      if (statuses) countJudged(answer);
      continue;
    }
    const again = sentAgain(signedClient(context, await context.merchant()), sent);
    await needFailureOfMistake(answer, `${operation.noun} ${way.words}`, again);
    expectThat(statuses.includes(answer.status), answer, {
      expected: `${operation.noun} ${way.words}: refused with HTTP ${statuses.join(' or ')}`,
      actual: summary(answer),
      requirement: 'auth.refunds-401',
    });
  }
}

/** Fails when a refused request has made its record: of the ways of one rule, the first one shows it. */
async function judgeEffect({ noun }: ArrangedOperation, { way, find }: Tried): Promise<void> {
  const afterwards = await find?.();
  if (!afterwards) return;
  expectThat(!isAccepted(afterwards), afterwards, {
    expected: `${noun} ${way.words}: has no effect`,
    actual: 'it was refused, and a query finds the record that it asked for',
    requirement: 'auth.refused-changes-nothing',
  });
}

/** The request of a create with an id that was not used before. */
export function withNewId(
  context: CheckContext,
  { request, body }: PreparedRequest,
  makes: NonNullable<PreparedRequest['makes']>,
): Pick<Tried, 'find'> & { request: SignedRequest } {
  const id = context.newOrderId();
  return { request: post(request.path, { ...body, [makes.id]: id }), find: () => makes.find(id) };
}

/** The request with the signature that a known mistake leads to, in the way that is made most often. */
function mistaken(context: CheckContext, code: SignatureMistakeCode): Way {
  return {
    words: `with one mistake: ${mistakeInWords(code)}`,
    change: (request) => ({
      ...request,
      sign: (signed, secret) => {
        const [wrong] = wrongSignatures[code](signed, secret, { origin: new URL(context.target).origin });
        if (wrong === undefined) throw new NotApplicable('neither this request nor this secret can show the mistake');
        return wrong;
      },
    }),
  };
}

const mistakes = new Map<SignatureMistakeCode, SignatureMistake>(signatureMistakes.map((each) => [each.code, each]));

/** A mistake as a part of a sentence, in the words of the catalogue. */
export function mistakeInWords(code: SignatureMistakeCode): string {
  const { what } = mistakes.get(code) ?? { what: code };
  return what.charAt(0).toLowerCase() + what.slice(1).replace(/\.$/, '');
}

function unlessNotApplicable(error: unknown): undefined {
  if (error instanceof NotApplicable) return undefined;
  throw error;
}

/** A request without an answer has not been accepted. */
function unlessHungUp(error: unknown): undefined {
  if (error instanceof Inconclusive) return undefined;
  return unlessNotApplicable(error);
}
