import { isDecimalText } from '../contract/decimals.ts';
import { Inconclusive } from '../errors/outcomes.ts';
import type { Transport } from '../wire/transport.ts';
import type { Credentials, Driver, DriverStep, StepOutcome } from './driver.ts';

type Done = Extract<StepOutcome, { done: true }>;
type Due = NonNullable<Done['due']>;
type Payment = NonNullable<Done['payment']>;

/** Calls a step of foreign code. The arguments of the step are given by name, in their order. */
export type Ask = (step: DriverStep, args: Readonly<Record<string, unknown>>, transport: Transport) => Promise<unknown>;

/**
 * A driver with these steps, which are foreign code. Each step throws `Inconclusive` when its answer does not have the form
 * that the interface promises.
 */
export function checkedDriver(steps: readonly DriverStep[], ask: Ask): Driver {
  const driver: Required<Driver> = {
    provisionMerchant: async (settings, transport) =>
      credentialsIn(await ask('provisionMerchant', { settings }, transport)),
    revokeKey: async (merchantId, apiKey, transport) => {
      await ask('revokeKey', { merchantId, apiKey }, transport);
    },
    orderEvent: async (merchantId, orderId, event, transport) =>
      outcomeIn('orderEvent', await ask('orderEvent', { merchantId, orderId, event }, transport)),
    refundEvent: async (merchantId, refundOrderId, event, transport) =>
      outcomeIn('refundEvent', await ask('refundEvent', { merchantId, refundOrderId, event }, transport)),
    advanceClock: async (merchantId, seconds, transport) => {
      await ask('advanceClock', { merchantId, seconds }, transport);
    },
    restart: async (transport) => {
      const answer = await ask('restart', {}, transport);
      if (property(answer, 'done') === false) {
        throw new Inconclusive(`the driver refuses to restart the target: ${String(property(answer, 'message'))}`);
      }
    },
  };
  return Object.fromEntries(steps.map((step) => [step, driver[step]]));
}

function credentialsIn(answer: unknown): Credentials {
  const [merchantId, apiKey, apiSecret] = ['merchantId', 'apiKey', 'apiSecret'].map((name) => property(answer, name));
  if (isText(merchantId) && isText(apiKey) && isText(apiSecret)) return { merchantId, apiKey, apiSecret };
  throw new Inconclusive(
    "the driver's provisionMerchant must return merchantId, apiKey and apiSecret, each a text that is not empty",
  );
}

function outcomeIn(step: DriverStep, answer: unknown): StepOutcome {
  const [done, message] = ['done', 'message'].map((name) => property(answer, name));
  if (done === false) return { done, message: isText(message) ? message : 'the driver does not say why' };
  if (done !== true) throw new Inconclusive(`the driver's ${step} must return done, true or false`);
  const [due, payment] = [dueIn(step, property(answer, 'due')), paymentIn(step, property(answer, 'payment'))];
  return { done, ...(due && { due }), ...(payment && { payment }) };
}

function dueIn(step: DriverStep, due: unknown): Due | undefined {
  if (isAbsent(due)) return undefined;
  const [value, currency] = [property(due, 'value'), property(due, 'currency')];
  if (isDecimalText(value) && isText(currency)) return { value, currency };
  throw new Inconclusive(
    `the driver's ${step} must return due with value, decimal text, and currency, or leave it out`,
  );
}

/** The fields of a payment that a driver may vouch for. A field that it does not know is left out. */
const paymentFields = ['amount', 'paymentMethod', 'network', 'fromAddress', 'transactionHash'] as const;

function paymentIn(step: DriverStep, payment: unknown): Payment | undefined {
  if (isAbsent(payment)) return undefined;
  const given = paymentFields.flatMap((name) => {
    const value = property(payment, name);
    if (isAbsent(value)) return [];
    if (name === 'amount' ? isDecimalText(value) : isText(value)) return [[name, value]];
    const form = name === 'amount' ? 'decimal text' : 'text that is not empty';
    throw new Inconclusive(`the driver's ${step} must return payment.${name} as ${form}, or leave it out`);
  });
  return given.length > 0 ? Object.fromEntries(given) : undefined;
}

const isAbsent = (value: unknown) => value === undefined || value === null;

/** A property of foreign data, which may come from a prototype or a getter. */
function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
