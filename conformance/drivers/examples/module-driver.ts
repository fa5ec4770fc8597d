import type { Driver, StepOutcome } from '../driver.ts'; // Elsewhere: from '@assay-conformance/assay'.

/**
 * A driver that is a module, for `assay run --target … --driver module-driver.ts`.
 *
 * Your own driver does these steps with your own tools: a back office, an administration API, a test database. This one uses
 * the control API of the reference server, with address and token from the environment. It has no step for refunds, so checks
 * that need one are skipped.
 */
const { EXAMPLE_CONTROL: control = '', EXAMPLE_TOKEN: token = '' } = process.env;

async function call(path: string, body: unknown): Promise<{ status: number; json: Record<string, string> }> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const answer = await fetch(`${control}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const json = (await answer.json()) as Record<string, string>;
  // An error makes the check inconclusive, with this message.
  if (!answer.ok && answer.status !== 409) throw new Error(`HTTP ${answer.status}: ${json.detail}`);
  return { status: answer.status, json };
}

const driver: Driver = {
  async provisionMerchant(settings) {
    const { merchantId = '', apiKey = '', apiSecret = '' } = (await call('/merchants', settings)).json;
    return { merchantId, apiKey, apiSecret };
  },

  async orderEvent(merchantId, orderId, event): Promise<StepOutcome> {
    const { status, json } = await call(`/merchants/${merchantId}/orders/${orderId}/events`, event);
    // The state rules do not allow this move. That is no error, and the check goes on.
    return status === 409 ? { done: false, message: json.detail ?? '' } : { done: true };
  },

  async advanceClock(merchantId, seconds) {
    await call(`/merchants/${merchantId}/clock`, { advanceSeconds: seconds });
  },
};

export default driver;
