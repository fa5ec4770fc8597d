import { percentEncoded } from '../contract/percent-encoding.ts';
import { Inconclusive } from '../errors/outcomes.ts';
import { shorten } from '../text/shorten.ts';
import { type Answer, closedConnection, cureOfRedirect, field, redirectIn } from '../wire/exchange.ts';
import type { Transport } from '../wire/transport.ts';
import type { Driver, OrderStep, StepOutcome } from './driver.ts';

/**
 * Drives a target through the sandbox control API at `controlUrl`. It first asks for the capabilities, and throws
 * `Inconclusive` when the answer is not that of a control API.
 */
export async function httpDriver(controlUrl: string, token: string, transport: Transport): Promise<Driver> {
  const { origin, pathname } = new URL(controlUrl);
  const base = pathname.replace(/\/$/, '');
  const call = (via: Transport, method: string, path: string, body?: unknown, confidential = false): Promise<Answer> =>
    via.send({
      confidential,
      method,
      origin,
      target: `${base}${path}`,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }),
    });

  const greeting = await call(transport, 'GET', '');
  const capabilities = field(greeting, 'capabilities');
  if (greeting.status !== 200 || !Array.isArray(capabilities)) {
    const isBehindApi = /\/api\/v1\/sandbox\/v1\/?$/.test(controlUrl);
    const address = isBehindApi ? "the target's address ends before /api/v1" : 'check the control address';
    const redirect = redirectIn(greeting);
    if (redirect !== undefined) {
      // Without an address of its own, the control API is looked for under that of the target.
      const cure = /\/sandbox\/v1$/.test(base)
        ? cureOfRedirect(greeting, controlUrl, '/sandbox/v1', '--target')
        : cureOfRedirect(greeting, controlUrl, base, '--control');
      throw new Inconclusive(
        `the control API at ${controlUrl} answered HTTP ${greeting.status} with ${redirect}; ${cure}`,
      );
    }
    const cure = greeting.status === 401 ? 'check the control token' : address;
    throw new Inconclusive(`the control API at ${controlUrl} answered HTTP ${greeting.status}; ${cure}`);
  }
  const has = (capability: string) => capabilities.includes(capability);

  return {
    ...(has('merchants') && {
      provisionMerchant: async (settings, via) => {
        const answer = await call(via, 'POST', '/merchants', settings, true);
        const [merchantId, apiKey, apiSecret] = ['merchantId', 'apiKey', 'apiSecret'].map((name) =>
          field(answer, name),
        );
        if (typeof merchantId !== 'string' || typeof apiKey !== 'string' || typeof apiSecret !== 'string') {
          throw refused(answer, 'made no merchant');
        }
        return { merchantId, apiKey, apiSecret };
      },
    }),
    ...(has('keys') && {
      revokeKey: async (merchantId, apiKey, via) => {
        const answer = await call(
          via,
          'DELETE',
          `/merchants/${percentEncoded(merchantId)}/keys/${percentEncoded(apiKey)}`,
        );
        if (answer.status !== 204) throw refused(answer, 'revoked no key');
      },
    }),
    ...(has('orders') && {
      orderEvent: async (merchantId, orderId, step, via) =>
        paidBy(
          step,
          outcome(
            await call(
              via,
              'POST',
              `/merchants/${percentEncoded(merchantId)}/orders/${percentEncoded(orderId)}/events`,
              step,
            ),
          ),
        ),
    }),
    ...(has('refunds') && {
      refundEvent: async (merchantId, refundOrderId, step, via) =>
        outcome(
          await call(
            via,
            'POST',
            `/merchants/${percentEncoded(merchantId)}/refunds/${percentEncoded(refundOrderId)}/events`,
            step,
          ),
        ),
    }),
    ...(has('clock') && {
      advanceClock: async (merchantId, advanceSeconds, via) => {
        const answer = await call(via, 'POST', `/merchants/${percentEncoded(merchantId)}/clock`, { advanceSeconds });
        if (answer.status !== 200) throw refused(answer, 'moved no clock');
      },
    }),
    ...(has('restart') && {
      restart: async (via) => {
        const answer = await call(via, 'POST', '/restart').catch((error: unknown) => {
          // What ends at once may not come to answer.
          if (via.exchanges.at(-1)?.error?.startsWith(closedConnection)) return undefined;
          throw error;
        });
        if (answer && answer.status !== 202) throw refused(answer, 'restarts nothing');
      },
    }),
  };
}

/** The control API makes a payment as it was asked to, so what was asked for is what was paid. */
function paidBy({ type, ...payment }: OrderStep, done: StepOutcome): StepOutcome {
  return type === 'transaction_detected' && done.done ? { ...done, payment } : done;
}

/** What the control API did not do, with the reason that it gives. */
function refused(answer: Answer, what: string): Inconclusive {
  const detail = field(answer, 'detail');
  const why = typeof detail === 'string' ? `: ${shorten(detail, 300)}` : '';
  return new Inconclusive(`the control API ${what}: HTTP ${answer.status}${why}`);
}

function outcome(answer: Answer): StepOutcome {
  if (answer.status === 409) return { done: false, message: String(field(answer, 'detail') ?? 'HTTP 409') };
  if (answer.status !== 200) {
    throw refused(answer, 'lets no event happen');
  }
  const [value, currency] = [field(answer, 'due.value'), field(answer, 'due.currency')];
  const due = typeof value === 'string' && typeof currency === 'string' ? { due: { value, currency } } : {};
  return { done: true, ...due };
}
