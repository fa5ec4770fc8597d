import { checkoutErrorCodes, type KnownError, orderErrorCodes, refundErrorCodes } from '../../generated/catalogue.ts';
import { signedClient } from '../arrange/requests/signed-client.ts';
import { makeNotifiedOrder } from '../arrange/webhooks/webhooks.ts';
import { type CheckContext, createContext } from '../check/context.ts';
import { summary } from '../check/expect.ts';
import { missingArea, missingNeed } from '../check/needs.ts';
import type { Session } from '../check/session.ts';
import { type DriverStep, driverSteps } from '../drivers/driver.ts';
import { openDriver } from '../run/session.ts';
import { type Answer, field } from '../wire/exchange.ts';
import { signatureOf } from '../wire/signing/signature.ts';
import { fatal, note, type Patient, type Step, well, wrong } from './step.ts';

/** What checks cannot do where a driver lacks a step. */
const without: Readonly<Record<DriverStep, string>> = {
  provisionMerchant: 'make merchants of their own',
  orderEvent: 'let an order be paid, fail or be cancelled',
  refundEvent: 'move a refund on',
  advanceClock: 'let time pass',
};

/** Which steps the driver has. */
export const driverStep: Step = {
  name: 'driver',
  whenThrown: 'fatal',
  look: async (patient) => {
    const session = opened(patient);
    const { options } = patient;
    session.driver = await openDriver(options, session);
    const has = driverSteps.filter((step) => session.driver[step]);
    const lacks = driverSteps.filter((step) => !session.driver[step]);
    if (!session.driver.provisionMerchant && !session.merchants.default) {
      return fatal(
        'the driver makes no merchants, and none is configured',
        'give ASSAY_MERCHANT_ID, ASSAY_API_KEY and ASSAY_API_SECRET',
      );
    }
    if (has.length === 0) {
      return note(
        'there is none: checks that need somebody to pay, cancel or let time pass are skipped',
        'give --control where the target has the sandbox control API, or --driver',
      );
    }
    const name = typeof options.driver === 'string' ? options.driver : options.control?.url;
    const found = `${name} has ${has.join(', ')}`;
    if (lacks.length === 0) return well(found);
    return note(
      `${found}; checks cannot ${lacks.map((step) => without[step]).join(', nor ')}, and those that must are skipped`,
    );
  },
};

/** Something that is not there, asked for in an area that the target has, and the code of that answer. */
const questions = [
  { area: 'orders', path: '/orders/', codes: orderErrorCodes, name: 'ORDER_NOT_FOUND' },
  { area: 'checkout', path: '/checkout/orders/', codes: checkoutErrorCodes, name: 'ORDER_NOT_FOUND' },
  { area: 'refunds', path: '/refunds', codes: refundErrorCodes, name: 'REFUND_NOT_FOUND' },
] as const;

/** Whether a signed request is taken for one. */
export const signedRequestStep: Step = {
  name: 'signed request',
  whenThrown: 'fatal',
  look: async (patient) => {
    const context = contextOf(patient);
    const question = questions.find(({ area }) => context.has(area)) ?? questions[0];
    const codes: readonly KnownError[] = question.codes;
    const due = codes.find(({ name }) => name === question.name)?.code;
    const right = await ask(context, question, signatureOf);
    const bad = await ask(context, question, (request, secret) => signatureOf(request, `${secret}x`));
    const alike = sameAnswer(right, bad);
    if (field(right, 'code') === due) {
      if (!alike) return well(`what is not there is not found: ${summary(right)}`);
      return wrong('a wrong signature is answered as a right one', 'have the target check signatures');
    }
    if (alike) {
      return fatal(
        `a rightly signed request is refused as a wrongly signed one is: ${summary(right)}`,
        'check key and secret; compare with what assay sign prints; see whether something before the target changes the path',
      );
    }
    return fatal(
      `a query for what is not there is answered with ${summary(right)}, where code ${due} is due`,
      'check the address of the target: it is what stands before /api/v1',
    );
  },
};

/** Whether webhooks get here. */
export const webhookStep: Step = {
  name: 'webhooks',
  whenThrown: 'wrong',
  look: async (patient) => {
    const session = opened(patient);
    const context = contextOf(patient);
    const missing =
      missingArea(['webhooks'], session) ??
      missingArea(['orders'], session) ??
      missingNeed(['order-events', 'webhook-receiver'], session);
    if (missing !== undefined) return note(`not tried: ${missing}`);
    const mailbox = await context.mailbox();
    const order = await makeNotifiedOrder(context, 'orders', mailbox);
    const started = Date.now();
    const outcome = await context.orderEvent(order.merchant, order.orderId, { type: 'cancelled' });
    if (!outcome.done) return note(`not tried: the driver cancelled no order: ${outcome.message}`);
    const webhook = await mailbox.first(() => true, context.webhookWait);
    if (webhook) return well(`one came to ${mailbox.url} after ${Date.now() - started} ms`);
    return wrong(
      `none came to ${mailbox.url} within ${context.webhookWait} ms`,
      'see that the target can reach webhooks.url (--webhook-url), that it leads to webhooks.listen, and that the target trusts the certificate there (webhooks.cert)',
    );
  },
};

function ask(
  context: CheckContext,
  { area, path }: (typeof questions)[number],
  sign: typeof signatureOf,
): Promise<Answer> {
  return context.merchant().then((merchant) => {
    const client = signedClient(context, merchant);
    const id = context.newOrderId();
    const [place, query] = area === 'refunds' ? [path, `refundOrderId=${id}`] : [`${path}${id}`, undefined];
    return client.send({ method: 'GET', path: `${client.basePath}${place}`, query, sign });
  });
}

function sameAnswer(left: Answer, right: Answer): boolean {
  return left.status === right.status && field(left, 'code') === field(right, 'code');
}

function opened({ session }: Patient): Session {
  if (!session) throw new Error('the steps before this one open the session');
  return session;
}

const contextOf = (patient: Patient): CheckContext => createContext(opened(patient), 'assay.doctor');
