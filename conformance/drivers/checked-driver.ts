import { Inconclusive } from '../errors/outcomes.ts';
import type { Transport } from '../wire/transport.ts';
import type { Credentials, Driver, DriverStep, StepOutcome } from './driver.ts';

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
    orderEvent: async (merchantId, orderId, event, transport) =>
      outcomeIn('orderEvent', await ask('orderEvent', { merchantId, orderId, event }, transport)),
    refundEvent: async (merchantId, refundOrderId, event, transport) =>
      outcomeIn('refundEvent', await ask('refundEvent', { merchantId, refundOrderId, event }, transport)),
    advanceClock: async (merchantId, seconds, transport) => {
      await ask('advanceClock', { merchantId, seconds }, transport);
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
  const [done, message, due] = ['done', 'message', 'due'].map((name) => property(answer, name));
  if (done === false) return { done, message: isText(message) ? message : 'the driver does not say why' };
  if (done !== true) throw new Inconclusive(`the driver's ${step} must return done, true or false`);
  const [value, currency] = [property(due, 'value'), property(due, 'currency')];
  return { done, ...(isText(value) && isText(currency) && { due: { value, currency } }) };
}

/** A property of foreign data, which may come from a prototype or a getter. */
function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
