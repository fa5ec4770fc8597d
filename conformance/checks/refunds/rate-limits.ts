import { limit } from '../../../generated/catalogue.ts';
import { pathEscaped } from '../../arrange/authentication/as-sent.ts';
import { makeOrder } from '../../arrange/orders/orders.ts';
import { refundsClient } from '../../arrange/refunds/client.ts';
import { batchQueryRefunds, createRefund, queryRefund } from '../../arrange/refunds/operations.ts';
import { refundRequest } from '../../arrange/refunds/refunds.ts';
import type { SignedRequest } from '../../arrange/requests/signed-client.ts';
import { atTheSameMoment, everyRound, type Start } from '../../arrange/situations/races.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectAccepted, expectJsonType, expectSchema, expectStatus, expectThat } from '../../check/expect.ts';
import { show } from '../../contract/show.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { Inconclusive, PermittedChoice } from '../../errors/outcomes.ts';
import type { Answer } from '../../wire/exchange.ts';
import { wrongSignatureOf } from '../../wire/signing/signature.ts';
import { manyAtOnce } from '../support/repeats.ts';

/** A limit that a merchant is made with. The span is so long that nothing but the limit can end the refusals. */
const rateLimit = { requests: 2, perSeconds: 300 } as const;

/** A limit with a short span, and a pause with which no span of that length has as many requests as it allows; in milliseconds. */
const [steadyLimit, steadyPause] = [{ requests: 6, perSeconds: 4 }, 900] as const;

/** A limit whose span is over within `overSoon`, beside the long one of another merchant. */
const shortLimit = { requests: 2, perSeconds: 1 } as const;

/** How often the merchant with that limit asks: more often than it allows in one span, and never too soon. */
const shortRequests = shortLimit.requests + 1;

/** How many requests are sent so: more than the limit, in more than one span. */
const steadyRequests = steadyLimit.requests + 2;

const notSettable = 'the limit of this target cannot be set (open point rate-limit)';

/** In milliseconds: further back than a timestamp may lie. */
const tooOld = 2 * limit('auth.timestamp.window', 'max');

/** So many requests are more than two spans allow, so that it does not matter when a span begins. */
const tooMany = 2 * rateLimit.requests + 1;

/** An operation of refunds, as requests that do nothing and that every target must answer. */
interface LimitedOperation {
  name: string;
  noun: string;
  /** Makes a function that sends one and the same request of a merchant again and again. */
  prepare(context: CheckContext, merchant: Credentials): Promise<Ask>;
}

/** How a request is sent that is asked again: with a signature or a timestamp of its own, or with needless escapes in its path. */
interface Changes extends Pick<SignedRequest, 'sign' | 'timestamp' | 'connection' | 'headers'> {
  escaped?: true;
}

/** Sends a request of a merchant, changed where that is said, or together with others. */
type Ask = (changes?: Changes | Start) => Promise<Answer>;

/** Makes a function that sends this request and takes HTTP 429 for an answer to it. */
const asking =
  (client: ReturnType<typeof refundsClient>, request: SignedRequest): Ask =>
  (changes = {}) => {
    const isEscaped = 'escaped' in changes;
    return client.send({ ...(isEscaped ? pathEscaped(request) : request), provokes429: true, ...changes });
  };

/** The same in another form of its path, which is as much that of the merchant. */
const inBothForms = (ask: Ask): readonly Ask[] => [ask, () => ask({ escaped: true })];

const operations: readonly [LimitedOperation, ...LimitedOperation[]] = [
  {
    name: createRefund.name,
    noun: createRefund.noun,
    async prepare(context, merchant) {
      // An order without a payment cannot be refunded, so that no request makes a refund.
      const { orderId } = await makeOrder(context, merchant);
      const client = refundsClient(context, merchant);
      const body = Buffer.from(JSON.stringify(refundRequest(context, orderId)));
      return asking(client, { method: 'POST', path: client.refundsPath, body });
    },
  },
  {
    name: queryRefund.name,
    noun: queryRefund.noun,
    async prepare(context, merchant) {
      const client = refundsClient(context, merchant);
      const query = `merchantRefundOrderId=${context.newOrderId()}`;
      return asking(client, { method: 'GET', path: client.refundsPath, query });
    },
  },
  {
    name: batchQueryRefunds.name,
    noun: batchQueryRefunds.noun,
    async prepare(context, merchant) {
      const client = refundsClient(context, merchant);
      const body = Buffer.from(JSON.stringify({ merchantRefundOrderIds: [context.newOrderId()] }));
      return asking(client, { method: 'POST', path: client.batchPath, body });
    },
  },
];

/** A little more than the second for which a platform often refuses requests that are too many for all of it, in milliseconds. */
const overSoon = 1500;

/**
 * Asks for what the merchant's limit allows. A platform may have a limit of its own, for all of its merchants, that strikes in between: asked
 * again, it is over, and one of this merchant is not.
 */
async function askAllowed(context: CheckContext, ask: Ask): Promise<Answer> {
  const answer = await ask();
  if (answer.status !== 429) return answer;
  await context.pause(overSoon);
  return ask();
}

/** Fails for an answer that refuses a request which the limit allows. */
function expectFree(answer: Answer, what: string): void {
  expectThat(answer.status !== 429, answer, { expected: `${what}: not HTTP 429`, actual: 'HTTP 429' });
}

/**
 * Sends more requests than the limit allows, one after the other and each in its turn. Fails unless it refuses some of them, and only those
 * beyond it. Resolves with those that were let through beyond it, because a new span has begun or because the limit lies higher.
 */
async function expectLimited(context: CheckContext, asks: readonly Ask[], noun: string): Promise<Answer[]> {
  const answers: Answer[] = [];
  const turns = Array.from({ length: tooMany }, () => asks).flat();
  const { requests, perSeconds } = rateLimit;
  for (const [index, ask] of turns.slice(0, tooMany).entries()) {
    answers.push(await (index < requests ? askAllowed(context, ask) : ask()));
  }
  const limit = `${requests} requests in ${perSeconds} seconds`;
  for (const [index, answer] of answers.slice(0, requests).entries()) {
    expectFree(answer, `${noun}, number ${index + 1} of a merchant whose own limit is ${limit}`);
  }
  const last = answers.at(-1);
  const refused = answers.filter(({ status }) => status === 429);
  if (last && refused.length === 0) {
    expectStatus(last, 429, `one of ${tooMany} requests, each ${noun}, under a limit of ${limit}`);
  }
  for (const answer of refused) {
    context.observeIn(answer, 'rate-limit', `${noun}: Retry-After: ${show(answer.headers['retry-after'])}`);
    expectSchema(answer, 'RefundFailure');
    expectJsonType(answer, 'general.json');
  }
  return answers.filter(({ status }) => status !== 429).slice(requests);
}

/** How many spans of its limit a refused merchant may be told to wait: a target may make one wait longer than the span, but hardly for so long. */
const mostSpans = 10;

/** The forms in which HTTP writes a moment. The last one names no zone and is meant in GMT like the others. */
const momentForms = [
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT$/,
  /^(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, [0-9]{2}-[A-Z][a-z]{2}-[0-9]{2} [0-9:]{8} GMT$/,
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} [0-9 ][0-9] [0-9:]{8} [0-9]{4}$/,
];

/** How long `Retry-After` asks to wait, in seconds from `now`, in milliseconds since 1970. `undefined`: it has no form that HTTP knows. */
function secondsToWait(retryAfter: string, now: number): number | undefined {
  if (/^[0-9]+$/.test(retryAfter)) return Number(retryAfter);
  if (!momentForms.some((form) => form.test(retryAfter))) return undefined;
  const moment = Date.parse(retryAfter.endsWith('GMT') ? retryAfter : `${retryAfter} GMT`);
  return Number.isNaN(moment) ? undefined : (moment - now) / 1000;
}

/** A merchant with the limit. Throws `PermittedChoice` where none can be set. */
function makeLimited(context: CheckContext): Promise<Credentials> {
  if (context.history.run.pins['rate-limit'] === 'built-in') {
    throw new PermittedChoice(notSettable);
  }
  return context.ownMerchant({ rateLimit: { ...rateLimit } });
}

/**
 * Fails unless an operation is refused to a merchant whose limit the other operations have used up. A new span begins at most once while
 * the check runs, and so for one of two merchants at most.
 */
async function expectUsedUpByOthers(context: CheckContext, operation: LimitedOperation): Promise<void> {
  const others = operations.filter((each) => each !== operation);
  const nouns = others.map(({ noun }) => noun).join(' or ');
  const askOnceUsedUp = async (): Promise<Answer> => {
    const limited = await makeLimited(context);
    const ask = await operation.prepare(context, limited);
    const asks = await Promise.all(others.map(({ prepare }) => prepare(context, limited)));
    await expectLimited(context, asks, `${nouns}, in turn`);
    return ask();
  };
  const first = await askOnceUsedUp();
  if (first.status === 429) return;
  const { requests, perSeconds } = rateLimit;
  const what = `${operation.noun} once ${nouns} has used up a limit of ${requests} requests in ${perSeconds} seconds`;
  expectStatus(await askOnceUsedUp(), 429, what);
}

/**
 * Lets a merchant use up a limit with a long span, and another one with a short span ask now and then: each is held to its own span, so that the first
 * stays refused and the second is never refused. Resolves with the first one's answer at the end.
 */
async function askBesideShortSpan(context: CheckContext): Promise<Answer> {
  const limited = await makeLimited(context);
  const other = await context.ownMerchant({ rateLimit: { ...shortLimit } });
  const [asks, asksAsOther] = await Promise.all(
    [limited, other].map((merchant) => Promise.all(operations.map(({ prepare }) => prepare(context, merchant)))),
  );
  const nouns = operations.map(({ noun }) => noun).join(' or ');
  await expectLimited(context, asks ?? [], `${nouns}, in turn`);
  const { requests, perSeconds } = shortLimit;
  for (const ask of asksAsOther?.slice(0, shortRequests) ?? []) {
    await context.pause(overSoon);
    const what = `${nouns}, each ${overSoon} ms after the one before, under a limit of ${requests} requests in ${perSeconds} seconds, beside a merchant with a span of ${rateLimit.perSeconds} seconds`;
    expectFree(await askAllowed(context, ask), what);
  }
  const [ask] = asks ?? [];
  if (!ask) throw new Inconclusive('there is no operation to ask');
  return ask();
}

/** What a limit counts: the requests of all operations together, and none that the merchant has not signed. */
const countingChecks: readonly CheckDeclaration[] = [
  {
    id: 'refunds.errors.rate-limit.together',
    title: 'A limit counts creates, queries and batch queries of refunds together, and refuses nothing else',
    requirements: ['refunds.errors.rate-limit', 'orders.create.accepted', 'general.json'],
    openPoint: 'rate-limit',
    needs: ['own-merchant'],
    async run(context) {
      for (const operation of operations) await expectUsedUpByOthers(context, operation);
      const limited = await makeLimited(context);
      const asks = await Promise.all(operations.map(({ prepare }) => prepare(context, limited)));
      // As if each came from another machine of the merchant.
      let machines = 0;
      const apart = asks.map(
        (ask): Ask =>
          () => {
            machines += 1;
            const headers = { 'X-Forwarded-For': `198.51.100.${machines}` };
            return ask({ connection: context.transport.oneConnection(), headers });
          },
      );
      await expectLimited(
        context,
        apart,
        'a create, a query or a batch query of refunds, in turn and each over a connection of its own',
      );
      const what = 'a create of an order, whose merchant may ask for no more refunds now';
      await makeOrder(context, limited, {}, (created) => expectAccepted(created, what, 'orders.create.accepted'));
    },
  },
  {
    id: 'refunds.errors.rate-limit.retry-after',
    title:
      'Retry-After of a refusal beyond the limit counts whole seconds or names a moment, not far beyond the span of the limit',
    requirements: ['refunds.errors.rate-limit.retry-after'],
    openPoint: 'rate-limit',
    needs: ['own-merchant'],
    async run(context) {
      const limited = await makeLimited(context);
      const asks = await Promise.all(operations.map(({ prepare }) => prepare(context, limited)));
      const named: { answer: Answer; retryAfter: string }[] = [];
      for (const ask of [...asks, ...asks]) {
        const answer = await ask();
        const retryAfter = answer.headers['retry-after'];
        if (answer.status === 429 && retryAfter !== undefined) named.push({ answer, retryAfter });
      }
      if (named.length === 0) throw new PermittedChoice('no refusal beyond the limit has Retry-After');
      const most = mostSpans * rateLimit.perSeconds;
      for (const { answer, retryAfter } of named) {
        const seconds = secondsToWait(retryAfter, context.now());
        expectThat(seconds !== undefined && seconds <= most, answer, {
          expected: `under a limit with a span of ${rateLimit.perSeconds} s, Retry-After in whole seconds or as a date of HTTP, at most ${most} s ahead`,
          actual: `Retry-After: ${show(retryAfter)}`,
        });
      }
    },
  },
  {
    id: 'refunds.errors.rate-limit.unsigned',
    title:
      'Requests with a wrong signature or an old timestamp use up nothing of the limit of the merchant whose key they name',
    requirements: ['auth.refused-changes-nothing'],
    openPoint: 'rate-limit',
    needs: ['own-merchant'],
    async run(context) {
      const limited = await makeLimited(context);
      const asks = await Promise.all(operations.map(({ prepare }) => prepare(context, limited)));
      for (const ask of asks) {
        for (let sent = 0; sent < rateLimit.requests; sent += 1) {
          await ask({ sign: wrongSignatureOf });
          await ask({ timestamp: String(context.now() - tooOld) });
        }
      }
      const [ask] = asks;
      if (ask) expectFree(await askAllowed(context, ask), 'the first request that the merchant has signed itself');
    },
  },
  {
    id: 'refunds.errors.rate-limit.spans',
    title: 'Of two merchants with limits of different spans, each is held to its own one',
    requirements: ['refunds.errors.rate-limit'],
    openPoint: 'rate-limit',
    needs: ['own-merchant'],
    waits: (shortRequests * overSoon) / 1000,
    async run(context) {
      const first = await askBesideShortSpan(context);
      if (first.status === 429) return;
      // A new span begins at most once while the check runs, and so for one of two merchants at most.
      const { requests, perSeconds } = rateLimit;
      const what = `a refund request of a merchant that has used up a limit of ${requests} requests in ${perSeconds} seconds, once another one has asked under a limit of ${shortLimit.requests} in ${shortLimit.perSeconds} second`;
      expectStatus(await askBesideShortSpan(context), 429, what);
    },
  },
  {
    id: 'refunds.errors.rate-limit.steady',
    title: 'A merchant that goes on asking, always more slowly than its limit allows, is never refused for its rate',
    requirements: ['refunds.errors.rate-limit'],
    openPoint: 'rate-limit',
    needs: ['own-merchant'],
    long: true,
    waits: (steadyRequests * steadyPause) / 1000,
    async run(context) {
      if (context.history.run.pins['rate-limit'] === 'built-in') throw new PermittedChoice(notSettable);
      const limited = await context.ownMerchant({ rateLimit: { ...steadyLimit } });
      const [create] = operations;
      const ask = await create.prepare(context, limited);
      const { requests, perSeconds } = steadyLimit;
      for (let sent = 1; sent <= steadyRequests; sent += 1) {
        await context.pause(steadyPause);
        const what = `${create.noun}, number ${sent}, ${steadyPause} ms or more after the one before, under a limit of ${requests} requests in ${perSeconds} seconds`;
        expectFree(await askAllowed(context, ask), what);
      }
    },
  },
  {
    id: 'refunds.errors.rate-limit.parallel',
    title: 'Of creates of refunds at the same moment, no more are let through than a limit allows',
    requirements: ['refunds.errors.rate-limit'],
    openPoint: 'rate-limit',
    needs: ['own-merchant'],
    async run(context) {
      const { requests, perSeconds } = rateLimit;
      const beyond: Answer[] = [];
      const refused: Answer[] = [];
      await everyRound(async () => {
        const limited = await makeLimited(context);
        const [create] = operations;
        const ask = await create.prepare(context, limited);
        const answers = await atTheSameMoment(Array.from({ length: manyAtOnce }, () => ask));
        refused.push(...answers.filter(({ status }) => status === 429));
        beyond.push(...answers.filter(({ status }) => status !== 429).slice(requests, requests + 1));
      });
      // A new span begins at most once while the check runs, and so for one of the merchants at most.
      const judged = beyond[1] ?? refused[0];
      if (!judged) throw new Inconclusive('too few of the requests were answered');
      expectStatus(
        judged,
        429,
        `of ${manyAtOnce} creates of refunds at the same moment, under a limit of ${requests} requests in ${perSeconds} seconds, number ${requests + 1} that is not refused`,
      );
    },
  },
];

/** For each operation: a limit that a merchant was made with bites, on that merchant and on nobody else. */
const operationChecks: readonly CheckDeclaration[] = operations.map(({ name, noun, prepare }) => ({
  id: `${name}.rate-limit`,
  title: `Beyond a limit that is set, ${noun} is refused with HTTP 429, and nothing of another merchant is`,
  requirements: [
    'refunds.errors.rate-limit',
    'refunds.errors.rate-limit.number',
    'refunds.envelope.failure',
    'general.json',
  ],
  openPoint: 'rate-limit',
  needs: ['own-merchant'],
  async run(context) {
    const newMerchant = () => makeLimited(context);
    const [limited, other] = await Promise.all([newMerchant(), newMerchant()]);
    const [ask, askAsOther] = await Promise.all([prepare(context, limited), prepare(context, other)]);
    const more = await expectLimited(context, inBothForms(ask), noun);
    expectFree(await askAllowed(context, askAsOther), `${noun} of another merchant`);
    if (more.length === 0) return;
    // A new span begins at most once while the check runs, and so for one of two merchants at most.
    const [again] = await expectLimited(context, inBothForms(await prepare(context, await newMerchant())), noun);
    if (!again) return;
    const { requests, perSeconds } = rateLimit;
    const what = `${noun}, number ${requests + 1} under a limit of ${requests} requests in ${perSeconds} seconds`;
    expectStatus(again, 429, what);
  },
}));

export const refundsRateLimitChecks: readonly CheckDeclaration[] = [...operationChecks, ...countingChecks];
