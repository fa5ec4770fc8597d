import { isObject } from '../../../contract/json.ts';
import { successCode } from '../../../contract/success-code.ts';
import { answeringJson, isOf, onlyFor } from '../../stand/changes.ts';
import type { Fault, Make } from '../../stand/fault.ts';
import { feeds, idOf } from './feeds.ts';

/** A server whose refusals of an operation show a field of `data` as the success before has it. */
function showingTheOneBefore(operation: string, field: 'merchantId' | 'merchantOrderId'): Make {
  let last: unknown;
  return {
    merchantApi: onlyFor(
      isOf(operation),
      answeringJson((envelope) => {
        const { code, data } = envelope;
        if (!isObject(data)) return envelope;
        if (code === successCode) last = data[field];
        return code === successCode || last === undefined
          ? envelope
          : { ...envelope, data: { ...data, [field]: last } };
      }),
    ),
  };
}

/** Wrong servers whose refusals name what another request named. */
export const refusalIdFaults: readonly Fault[] = (
  [
    ['orders.create', 'merchantOrderId', 'order'],
    ['orders.query', 'merchantOrderId', 'order'],
    ['orders.query', 'merchantId', 'merchant'],
  ] as const
).map(([operation, field, noun]) => ({
  id: `${idOf(operation)}-refusals-name-the-${noun}-before`,
  title: `Names in refusals of ${operation} the ${noun} of the success before.`,
  breaks: 'orders.envelope.failure',
  caughtBy: `${operation}.refusals.ids`,
  // The last one has a success before its refusals, in whichever order the checks run.
  feeds: [
    ...[feeds[operation]?.success ?? '', feeds[operation]?.refusal ?? ''],
    ...['orders.query.other-merchant', 'orders.errors.request-id-echoed'],
  ],
  make: showingTheOneBefore(operation, field),
}));
