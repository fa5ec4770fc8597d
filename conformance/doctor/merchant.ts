import { ordersMachine } from '../../generated/catalogue.ts';
import { makeOrder } from '../arrange/orders/orders.ts';
import { makeNotifiedOrder } from '../arrange/webhooks/webhooks.ts';
import { isAccepted, statusOf, summary } from '../check/expect.ts';
import type { Session } from '../check/session.ts';
import { missingArea, missingNeed } from '../check/unmet-needs.ts';
import { envelopeFault } from '../contract/envelope-faults/envelope-faults.ts';
import { type Credentials, type DriverStep, driverSteps } from '../drivers/driver.ts';
import { openDriver } from '../run/session.ts';
import { type Answer, cureOfRedirect, field, redirectIn } from '../wire/exchange.ts';
import { isUnexplained } from '../wire/interruptions.ts';
import type { Webhook } from '../wire/mailbox.ts';
import { wrongSignatureOf } from '../wire/signing/signature.ts';
import { knownSchemes, signatureHeaders, verifyingSchemes, webhookMistake } from '../wire/signing/webhook-signature.ts';
import { lackingAreas } from './areas.ts';
import { addressThatAnswers, ask, contextOf, questions } from './questions.ts';
import { alike, expectedInstead, isExpired, verifyingClock } from './signing.ts';
import { type Finding, fatal, note, type Patient, type Step, well, wrong } from './step.ts';

/** For each step, what checks cannot do without it. */
const without: Readonly<Record<DriverStep, string>> = {
  provisionMerchant: 'make merchants of their own',
  revokeKey: 'revoke the key of a merchant',
  orderEvent: 'let an order be paid, fail or be cancelled',
  refundEvent: 'move a refund on',
  advanceClock: 'let time pass',
  restart: 'end the target without warning',
};

/** Opens the driver and names its steps. */
export const driverStep: Step = {
  name: 'driver',
  whenThrown: 'fatal',
  look: async (patient) => {
    const session = opened(patient);
    const { options } = patient;
    session.driver = await openDriver(options, session);
    const has = driverSteps.filter((step) => session.driver[step]);
    // No MUST needs a restart, and so nothing is wrong without one.
    const lacks = driverSteps.filter((step) => step !== 'restart' && !session.driver[step]);
    if (!session.driver.provisionMerchant && !session.merchants.default) {
      return fatal(
        'the driver makes no merchants, and none is configured',
        'give ASSAY_MERCHANT_ID, ASSAY_API_KEY and ASSAY_API_SECRET',
      );
    }
    if (has.length === 0) {
      return note(
        'there is no driver, so checks that need somebody to pay, cancel or let time pass are skipped',
        'give --control if the target has the sandbox control API, else --driver',
      );
    }
    const name = typeof options.driver === 'string' ? options.driver : options.control?.url;
    const found = `${name} has ${has.join(', ')}`;
    if (lacks.length === 0) return well(found);
    return note(
      `${found}; checks cannot ${lacks.map((step) => without[step]).join(', nor ')}, and checks that must do so are skipped`,
    );
  },
};

const logOfTarget = 'look at the log of the target, and at what stands between it and the runner';

/** Sends a rightly and a wrongly signed request, and compares the answers. */
export const signedRequestStep: Step = {
  name: 'signed request',
  whenThrown: 'fatal',
  cureWhenThrown: logOfTarget,
  look: async (patient) => {
    const context = contextOf(opened(patient));
    const lacking = (await lackingAreas(opened(patient))).map(({ area }) => area);
    const offered = questions.filter(({ area }) => context.has(area));
    const question = offered.find(({ area }) => !lacking.includes(area)) ?? offered[0] ?? questions[0];
    const expected = question.code;
    const right = await ask(context, question);
    const bad = await ask(context, question, wrongSignatureOf);
    const isAlike = alike(right, bad);
    const unreadable = envelopeFault(right);
    if (unreadable) {
      const asked = 'a query for something that does not exist is answered with';
      return fatal(`${asked} ${summary(right)}`, unreadable.cure);
    }
    const instead = await expectedInstead(context);
    const [mistake] = instead.flatMap((each) => each.mistake ?? []);
    const of = new Intl.ListFormat('en').format(instead.map(({ what }) => what));
    if (mistake) {
      const found = `the target refuses the right signature of ${of}, and expects one with this mistake: ${mistake.what.replace(/\.$/, '')}`;
      return (isAlike ? fatal : wrong)(found, mistake.cure);
    }
    if (instead.length > 0) {
      return wrong(
        `the target refuses right signatures of ${of}, and takes others`,
        'look for what differs between the requests, such as signatures with + and / or with = at the end, and several processes of which one has another secret or another clock',
      );
    }
    const unreadableRefusal = envelopeFault(bad);
    if (unreadableRefusal) {
      return wrong(`a request with a wrong signature is answered with ${summary(bad)}`, unreadableRefusal.cure);
    }
    if (field(right, 'code') === expected) {
      if (!isAlike) return well(`a query for something that does not exist is answered rightly: ${summary(right)}`);
      return wrong(
        'a request with a wrong signature is answered like one with a right signature',
        'have the target check signatures',
      );
    }
    const answered = `a query for something that does not exist is answered with ${summary(right)}, instead of code ${expected}`;
    if (isAlike && isAccepted(right)) {
      return fatal(
        `${answered}, and so is one with a wrong signature`,
        'have the target check signatures, and look up what a query asks for',
      );
    }
    if (redirectIn(right) !== undefined) {
      return fatal(answered, cureOfRedirect(right, `${opened(patient).target}/api/v1`, '/api/v1', '--target'));
    }
    if (isExpired(right)) return otherClock(await verifyingClock(context, question), right);
    const address = await addressThatAnswers(opened(patient), question);
    if (address !== undefined) return fatal(answered, `make ${address} the target: the API answers there`);
    if (typeof field(right, 'code') !== 'string') {
      return fatal(
        answered,
        'each answer of the contract has a code, and this one has none: check the address of the target, which ends before /api/v1, and look at what answers there',
      );
    }
    if (isUnexplained(right, 'refunds')) return fatal(answered, logOfTarget);
    if (!isAlike) return fatal(answered, 'check the address of the target: it ends before /api/v1');
    return fatal(
      `a rightly signed request is refused like a wrongly signed one: ${summary(right)}`,
      'check key and secret, and the clocks of both sides; compare with the output of assay sign; check whether a proxy changes the path',
    );
  },
};

/** A target that refuses the present time, and the difference of clocks at which it accepts one. */
function otherClock(ahead: number | undefined, right: Answer): Finding {
  const refused = `a request with the present time is refused as too old or too early: ${summary(right)}`;
  if (ahead === undefined) {
    return fatal(
      refused,
      'the clocks of both sides differ: set the one that is wrong, and have the target read X-Timestamp as milliseconds since 1970 in UTC',
    );
  }
  const minutes = Math.round(Math.abs(ahead) / 60_000);
  const side = ahead > 0 ? 'ahead of' : 'behind';
  return fatal(
    `the clock by which the target verifies X-Timestamp is about ${minutes} min ${side} the one of the requests: it takes a time that is ${minutes} min ${ahead > 0 ? 'later' : 'earlier'}, and ${refused}`,
    minutes >= 60 && minutes % 30 === 0
      ? 'set the clock that is wrong; where it differs as time zones do, have the target read X-Timestamp as milliseconds since 1970 in UTC, without a time zone'
      : 'set the clock that is wrong',
  );
}

/** Has an order cancelled and waits for its webhook. */
export const webhookStep: Step = {
  name: 'webhooks',
  whenThrown: 'wrong',
  cureWhenThrown: `${logOfTarget}: most checks make orders and let something happen to them`,
  look: async (patient) => {
    const session = opened(patient);
    const context = contextOf(opened(patient));
    const missing = missingArea(['orders'], session) ?? missingNeed(['order-events'], session);
    if (missing !== undefined) return note(`not tried: ${missing}`);
    const unheard = missingArea(['webhooks'], session) ?? missingNeed(['webhook-receiver'], session);
    const mailbox = unheard === undefined ? await context.mailbox() : undefined;
    const order = mailbox
      ? await makeNotifiedOrder(context, 'orders', mailbox)
      : await makeOrder(context, await context.ownMerchant());
    const started = Date.now();
    const outcome = await context.orderEvent(order.merchant, order.orderId, { type: 'cancelled' });
    if (!outcome.done) return note(`not tried: the driver cancelled no order: ${outcome.message}`);
    const webhook = await mailbox?.first(() => true, context.webhookWait);
    const took = Date.now() - started;
    const isMoved = (view: Answer) => statusOf(view) !== ordersMachine.initial;
    const view = await context.poll(order.query, isMoved);
    if (isAccepted(view) && !isMoved(view)) {
      const status = String(statusOf(view));
      if (webhook) {
        return wrong(
          `a webhook came after an order was cancelled, and queries still show the order as ${status}`,
          'have queries show what webhooks announce: look for a cache, or a copy of the data that is behind',
        );
      }
      const silent = mailbox ? `, and no webhook came within ${context.webhookWait} ms` : '';
      return wrong(
        `the driver answered that the step cancelled is done, but the order is still ${status}${silent}: the step has no effect`,
        'have the control API or the driver change the order that queries show, before it answers',
      );
    }
    if (!mailbox) return note(`not tried: ${unheard}; a step of the driver has its effect`);
    if (webhook) return signatureFinding(webhook, order.merchant, took);
    return wrong(
      `no webhook came to ${mailbox.url} within ${context.webhookWait} ms`,
      'check that the target can reach webhooks.url (--webhook-url), that this address leads to webhooks.listen, and that the target trusts its certificate (webhooks.cert)',
    );
  },
};

/** What is found about a webhook that came after so many milliseconds. */
function signatureFinding(webhook: Webhook, merchant: Credentials, took: number): Finding {
  const carriers = signatureHeaders(webhook);
  const schemes = verifyingSchemes(webhook, merchant.apiSecret);
  const came = `a webhook came after ${took} ms`;
  if (schemes.length > 0) return well(`${came}, with a signature that ${schemes.join(' and ')} verifies`);
  const cure = `sign webhooks by ${knownSchemes}, with the merchant's API secret (open point webhook-signature)`;
  if (carriers.length === 0) return note(`${came}, without a signature`, cure);
  const mistake = webhookMistake(webhook, merchant);
  const why = mistake === undefined ? '' : `: ${mistake}`;
  return note(`${came}, and no known scheme verifies the signature in ${carriers.join(', ')}${why}`, cure);
}

function opened({ session }: Patient): Session {
  if (!session) throw new Error('the steps before this one open the session');
  return session;
}
