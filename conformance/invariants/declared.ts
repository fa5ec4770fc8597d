import type { RequirementId } from '../../generated/catalogue.ts';
import { errorCode } from '../contract/error-codes.ts';
import { isObject, lacksItsEnd, valueAt } from '../contract/json.ts';
import { contractOperations, type OperationArea } from '../contract/operations.ts';
import { show } from '../contract/show.ts';
import { type AnswerFault, answerFaults } from './answer-faults.ts';
import { type Book, type Exchanged, textAt } from './book.ts';
import { codeOf, hasBoundFields, isBound, isJsonType, isRefused } from './bound-answers.ts';
import type { Fault, Invariant, InvariantRule, Judgement } from './invariant.ts';
import { onceForEach } from './once-for-each.ts';

/** The sentences of each product on what its answers are made of. */
const sentences: Readonly<
  Record<OperationArea, { success: RequirementId; refusal: RequirementId; status?: RequirementId }>
> = {
  orders: { success: 'orders.envelope.success', refusal: 'orders.envelope.failure', status: 'orders.http-200' },
  checkout: { success: 'checkout.envelope.success', refusal: 'checkout.envelope.failure' },
  refunds: {
    success: 'refunds.envelope.success',
    refusal: 'refunds.envelope.failure',
    status: 'refunds.errors.success-status',
  },
};

const ruleId = (operation: string, name: string) => `${operation}.declared.${name}`;

const rules: readonly InvariantRule[] = contractOperations.flatMap(({ name, area }): InvariantRule[] => {
  const { success, refusal, status } = sentences[area];
  const rule = (rest: string, title: string, requirement: RequirementId): InvariantRule => ({
    id: ruleId(name, rest),
    title,
    requirements: [requirement],
  });
  return [
    rule('json', `Every answer of ${name} is a JSON object and says so`, 'general.json'),
    rule(
      'success',
      `Every success of ${name} is made as the contract declares it`,
      name === 'refunds.batch-query' ? 'refunds.envelope.batch' : success,
    ),
    rule('refusal', `Every refusal of ${name} is made as the contract declares it`, refusal),
    ...(status ? [rule('status', `Every answer of ${name} has an HTTP status that goes with its code`, status)] : []),
    ...(area === 'orders'
      ? [
          rule(
            'standard-response',
            `standardResponseCode repeats code in every answer of ${name}, and no refusal says in words what a success says`,
            'orders.view.standard-response',
          ),
        ]
      : []),
    ...(area === 'refunds'
      ? [
          rule(
            'request-id',
            `Every answer of ${name} has a requestId that no other answer has`,
            'refunds.envelope.request-id-unique',
          ),
          rule(
            'timestamp',
            `Every answer of ${name} tells as timestamp a time of the run, in milliseconds`,
            'refunds.envelope.timestamp',
          ),
        ]
      : []),
  ];
});

/** The answer to an operation is one that the contract declares for it. */
export const declared: Invariant = { name: 'declared', rules, judge };

const orderNotFound = errorCode('orders', 'ORDER_NOT_FOUND');

function* judge(book: Book): Iterable<Judgement> {
  const firstWith = new Map<string, Exchanged>();
  for (const exchanged of book.exchanged) {
    const { record, operation, area, accepted } = exchanged;
    const records = [record];
    const repeatedCode = area === 'orders' ? repeatedCodeFault(exchanged) : undefined;
    // Whatever form a refusal has: of two codes that it gives, none may be another.
    if (repeatedCode) yield { rule: ruleId(operation, 'standard-response'), records, fault: repeatedCode };
    // Whatever path it was asked by: only the service itself knows that there is no such order, and no gateway before it.
    const isUnknownOrder = area === 'orders' && codeOf(exchanged) === orderNotFound;
    const statusOfUnknown = isUnknownOrder ? statusFault(exchanged) : undefined;
    if (statusOfUnknown) yield { rule: ruleId(operation, 'status'), records, fault: statusOfUnknown };
    if (!hasBoundFields(book, exchanged)) continue;
    const looked = (name: string, fault: Fault | undefined): Judgement => ({
      rule: ruleId(operation, name),
      records,
      ...(fault && { fault }),
    });
    yield looked('json', jsonFault(exchanged));
    if (area !== 'checkout' && !statusOfUnknown && isBound(book, exchanged)) {
      const fault = statusFault(exchanged);
      // Where there is no code, no status goes with it.
      if (fault || codeOf(exchanged) !== undefined) yield looked('status', fault);
    }
    if (!isObject(exchanged.answered)) continue;
    yield* bodyJudgements(book, exchanged, looked);
    if (area === 'orders' && !repeatedCode && codeOf(exchanged) !== undefined)
      yield looked('standard-response', standardResponseFault(book, exchanged));
    if (area === 'refunds') {
      yield* judgeRequestId(exchanged, firstWith);
      // That it is a whole number is declared.
      if (typeof valueAt(exchanged.answered, ['timestamp']) === 'number') {
        yield looked('timestamp', timestampFault(book, exchanged));
      }
    }
    if (area === 'orders' && !accepted) yield looked('refusal', otherMerchantFault(exchanged));
  }
}

/** One judgement for each place that is wrong, or one for an answer in which none is. */
function* bodyJudgements(
  book: Book,
  exchanged: Exchanged,
  looked: (name: string, fault: Fault | undefined) => Judgement,
): Iterable<Judgement> {
  const name = exchanged.accepted ? 'success' : 'refusal';
  const faults = answerFaults(book, exchanged).filter(({ kind }) => kind === 'declared');
  if (faults.length === 0) yield looked(name, undefined);
  for (const fault of faults) yield looked(name, inRule(fault));
}

/** A fault of an answer as a rule names it. */
export const inRule = ({ expected, actual, requirement }: AnswerFault): Fault => ({
  expected,
  actual,
  ...(requirement && { requirement }),
});

function jsonFault({ record, answered, status }: Exchanged): Fault | undefined {
  const { headers = {}, body } = record.answer ?? {};
  const type = headers['content-type'];
  if (!isJsonType(type ?? '')) {
    return { expected: 'Content-Type = application/json', actual: `HTTP ${status} with Content-Type = ${show(type)}` };
  }
  if (isObject(answered)) return undefined;
  const { text = '', cut } = body ?? {};
  const length = headers['content-length'];
  const place = length === undefined ? '' : ` at its Content-Length of ${length} bytes`;
  // A record may hold the beginning of a long body only.
  const breaksOff = !cut && lacksItsEnd(text) ? ` breaks off${place}:` : ' is';
  return {
    expected: 'a body that is a JSON object',
    actual: `HTTP ${status} with a body that${breaksOff} ${show(text)}`,
  };
}

/** The HTTP status that the contract binds to an answer, where it binds one. */
function statusFault(exchanged: Exchanged): Fault | undefined {
  const { status, accepted, area } = exchanged;
  const wrong = (expected: string, requirement?: RequirementId): Fault => ({
    expected: `HTTP ${expected}`,
    actual: `HTTP ${status} with code = ${show(codeOf(exchanged))}`,
    ...(requirement && { requirement }),
  });
  if (area === 'orders') return status === 200 ? undefined : wrong('200');
  if (accepted) return status === 200 ? undefined : wrong('200');
  if (status < 300) return wrong('400 or higher for a refusal');
  return refundStatusFault(exchanged, wrong);
}

/** Refusals of creates that are said to have HTTP 400. */
const businessCodes = [errorCode('refunds', 'INSUFFICIENT_BALANCE'), errorCode('refunds', 'REFUND_PERIOD_EXPIRED')];

function refundStatusFault(
  exchanged: Exchanged,
  wrong: (expected: string, requirement?: RequirementId) => Fault,
): Fault | undefined {
  const { status, operation, sent } = exchanged;
  const code = codeOf(exchanged);
  if (operation === 'refunds.query' && code === errorCode('refunds', 'REFUND_NOT_FOUND') && status !== 404) {
    return wrong('404', 'refunds.errors.refund-not-found');
  }
  // A refusal with 401 or 403 may have found the authentication wrong after all.
  if (operation !== 'refunds.create' || !isObject(sent) || !isRefused(exchanged) || [401, 403].includes(status)) {
    return undefined;
  }
  if (status === 400 || (status === 404 && !businessCodes.includes(code ?? ''))) return undefined;
  return wrong(businessCodes.includes(code ?? '') ? '400' : '400 or 404', 'refunds.errors.business');
}

function repeatedCodeFault(exchanged: Exchanged): Fault | undefined {
  const [code, repeated] = [codeOf(exchanged), textAt(exchanged.answered, 'data', 'standardResponseCode')];
  // An answer without one of the two is no success or refusal as the contract declares it.
  if (code === undefined || repeated === undefined || code === repeated) return undefined;
  return {
    expected: `data.standardResponseCode = ${show(code)}, as code`,
    actual: `data.standardResponseCode = ${show(repeated)}`,
  };
}

function standardResponseFault(book: Book, exchanged: Exchanged): Fault | undefined {
  const { answered, accepted } = exchanged;
  const words = textAt(answered, 'data', 'standardResponseMessage');
  if (words !== undefined && words !== '' && !/\p{L}/u.test(words)) {
    return {
      expected: 'data.standardResponseMessage says in words what the code means',
      actual: `data.standardResponseMessage = ${show(words)}`,
    };
  }
  if (accepted || words === undefined || !wordsOfSuccess(book).has(words)) return undefined;
  return {
    expected: `data.standardResponseMessage says what ${show(codeOf(exchanged))} means`,
    actual: `data.standardResponseMessage = ${show(words)}, as in a success`,
  };
}

/** What successes of hosted operations say in words. */
const wordsOfSuccess = onceForEach(
  ({ exchanged }: Book): ReadonlySet<string> =>
    new Set(
      exchanged.flatMap(({ area, accepted, answered }) =>
        area === 'orders' && accepted ? (textAt(answered, 'data', 'standardResponseMessage') ?? []) : [],
      ),
    ),
);

function otherMerchantFault({ answered, merchantId }: Exchanged): Fault | undefined {
  const shown = textAt(answered, 'data', 'merchantId');
  if (shown === undefined || shown === merchantId) return undefined;
  return { expected: `data.merchantId = ${merchantId}`, actual: `data.merchantId = ${show(shown)}` };
}

/** Two answers with one requestId are one fault of the later. */
function* judgeRequestId(exchanged: Exchanged, firstWith: Map<string, Exchanged>): Iterable<Judgement> {
  const id = textAt(exchanged.answered, 'requestId');
  if (id === undefined) return;
  const first = firstWith.get(id);
  const rule = ruleId(exchanged.operation, 'request-id');
  if (!first) {
    firstWith.set(id, exchanged);
    return yield { rule, records: [exchanged.record] };
  }
  yield {
    rule,
    records: [first.record, exchanged.record],
    fault: {
      expected: 'a requestId of its own in each answer',
      actual: `requestId = ${show(id)} in an answer of ${first.operation} and in one of ${exchanged.operation}`,
    },
  };
}

/** In milliseconds. A time in another unit is further away than that. */
const day = 86_400_000;

/** A repeat may be answered as the first request was, so any time since the run began is right, on the merchant's clock or the target's own. */
function timestampFault({ clock }: Book, { answered, merchantId, record }: Exchanged): Fault | undefined {
  const timestamp = valueAt(answered, ['timestamp']);
  if (typeof timestamp !== 'number') return undefined;
  const { earliest, latest } = clock.between(merchantId, 0, record.end);
  if (timestamp > earliest - day && timestamp < latest + day) return undefined;
  const [from, to] = [earliest, latest].map((each) => Math.round(each));
  return { expected: `timestamp = about ${from} to ${to}, in milliseconds`, actual: `timestamp = ${timestamp}` };
}
