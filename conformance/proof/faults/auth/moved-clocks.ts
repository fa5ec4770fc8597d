import { idOfRule } from '../../../arrange/authentication/rule.ts';
import { contractOperations } from '../../../contract/operations.ts';
import { ageOf } from '../../stand/auth-changes.ts';
import { alsoTaking, bodyOf, isOf, isRightlySigned, merchantIdOf, onlyFor } from '../../stand/changes.ts';
import type { Fault, Make } from '../../stand/fault.ts';

const minute = 60_000;

/** A server that takes a timestamp also where the clock of the merchant is near it, which was moved. */
function takingMovedTime(operation: string): Make {
  const ahead = new Map<string, number>();
  return {
    control: (request, server) => {
      const { advanceSeconds } = bodyOf(request) ?? {};
      const merchantId = merchantIdOf(request);
      if (request.target.endsWith('/clock')) {
        ahead.set(merchantId, (ahead.get(merchantId) ?? 0) + Number(advanceSeconds) * 1000);
      }
      return server.forward(request);
    },
    merchantApi: onlyFor(
      isOf(operation),
      alsoTaking((request, { merchantId }, server) => {
        const isNear = Math.abs(ageOf(request) + (ahead.get(merchantId) ?? 0)) < minute;
        return isNear && isRightlySigned(request, server);
      }),
    ),
  };
}

/** Wrong servers that judge timestamps by two clocks. */
export const movedClockFaults: readonly Fault[] = contractOperations
  .filter(({ method }) => method === 'GET')
  .map((operation) => ({
    id: `${operation.name.replace('.', '-')}-timestamp-of-moved-clock`,
    title: `Takes an X-Timestamp in ${operation.name} also where it is near the clock of the merchant, which was moved.`,
    breaks: 'auth.timestamp.window',
    caughtBy: idOfRule({ name: 'moved-clock' }, operation),
    make: takingMovedTime(operation.name),
  }));
