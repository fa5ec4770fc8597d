import { messageOf } from '../errors/message-of.ts';
import type { Recorder } from '../history/recorder.ts';
import type { Span, StepResult } from '../history/records.ts';
import type { Driver, StepOutcome } from './driver.ts';

/**
 * A driver whose steps are written down in a history. It has the steps that `driver` has. That a key is revoked is not written down: it
 * happens to no order and no refund, and requests under the key count as changed.
 */
export function recordedDriver(driver: Driver, history: Recorder): Driver {
  /** Takes a step, and writes it down when it is over. */
  async function record<Result>(take: () => Promise<Result>, write: (span: Span, outcome: Outcome<Result>) => void) {
    const start = history.now();
    try {
      const result = await take();
      write({ start, end: history.now() }, { result });
      return result;
    } catch (error) {
      write({ start, end: history.now() }, { failed: messageOf(error) });
      throw error;
    }
  }

  const { provisionMerchant, revokeKey, orderEvent, refundEvent, advanceClock, restart } = driver;
  return {
    ...(revokeKey && { revokeKey: (...step) => revokeKey(...step) }),
    ...(provisionMerchant && {
      provisionMerchant: (settings, transport) =>
        record(
          () => provisionMerchant(settings, transport),
          (span, outcome) =>
            history.add({
              kind: 'driver',
              step: 'provisionMerchant',
              ...span,
              settings,
              ...('failed' in outcome ? outcome : { merchantId: outcome.result.merchantId }),
            }),
        ),
    }),
    ...(orderEvent && {
      orderEvent: (merchantId, orderId, event, transport) =>
        record(
          () => orderEvent(merchantId, orderId, event, transport),
          (span, outcome) =>
            history.add({
              kind: 'driver',
              step: 'orderEvent',
              ...span,
              merchantId,
              orderId,
              event,
              result: resultOf(outcome),
            }),
        ),
    }),
    ...(refundEvent && {
      refundEvent: (merchantId, refundOrderId, event, transport) =>
        record(
          () => refundEvent(merchantId, refundOrderId, event, transport),
          (span, outcome) =>
            history.add({
              kind: 'driver',
              step: 'refundEvent',
              ...span,
              merchantId,
              refundOrderId,
              event,
              result: resultOf(outcome),
            }),
        ),
    }),
    ...(advanceClock && {
      advanceClock: (merchantId, seconds, transport) =>
        record(
          () => advanceClock(merchantId, seconds, transport),
          (span, outcome) =>
            history.add({ kind: 'clock', ...span, merchantId, seconds, ...('failed' in outcome && outcome) }),
        ),
    }),
    ...(restart && {
      restart: (transport) =>
        record(
          () => restart(transport),
          (span, outcome) =>
            history.add({ kind: 'driver', step: 'restart', ...span, ...('failed' in outcome && outcome) }),
        ),
    }),
  };
}

/** How a step ended: with its result, or because the driver failed. */
type Outcome<Result> = { result: Result } | { failed: string };

const resultOf = (outcome: Outcome<StepOutcome>): StepResult => ('failed' in outcome ? outcome : outcome.result);
