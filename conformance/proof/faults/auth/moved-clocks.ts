import { idOfRule } from '../../../arrange/authentication/rule.ts';
import { contractOperations } from '../../../contract/operations.ts';
import { ageOf } from '../../stand/auth-changes.ts';
import { alsoTaking, bodyOf, isOf, isRightlySigned, isSignedWith, merchantIdOf, onlyFor } from '../../stand/changes.ts';
import type { Fault, Make } from '../../stand/fault.ts';
import { followingClocks } from '../../stand/order-changes.ts';

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

const day = 86_400_000;

/** A server that takes timestamps of any age once the clock of the merchant is more than a day ahead. */
function forgettingAgeLater(operation: string): Make {
  const { now, control } = followingClocks();
  return {
    control,
    merchantApi: onlyFor(
      isOf(operation),
      alsoTaking(
        (request, { merchantId, apiSecret }) =>
          now(merchantId) > Date.now() + day && ageOf(request) > 0 && isSignedWith(request, apiSecret),
      ),
    ),
  };
}

/** Wrong servers that look at timestamps for a day only. */
const forgettingFaults: readonly Fault[] = contractOperations
  .filter(({ name }) => name !== 'checkout.payment-methods')
  .map((operation) => ({
    id: `${operation.name.replace('.', '-')}-of-any-age-taken-days-later`,
    title: `Takes an X-Timestamp of any age in ${operation.name} when the clock of the merchant is a day ahead.`,
    breaks: 'auth.timestamp.window',
    caughtBy: idOfRule({ name: 'everywhere' }, operation),
    make: forgettingAgeLater(operation.name),
  }));

/** Wrong servers that judge timestamps by two clocks. */
const twoClockFaults: readonly Fault[] = contractOperations
  .filter(({ method }) => method === 'GET')
  .map((operation) => ({
    id: `${operation.name.replace('.', '-')}-timestamp-of-moved-clock`,
    title: `Takes an X-Timestamp in ${operation.name} also where it is near the clock of the merchant, which was moved.`,
    breaks: 'auth.timestamp.window',
    caughtBy: idOfRule({ name: 'moved-clock' }, operation),
    make: takingMovedTime(operation.name),
  }));

/** Wrong servers whose authentication hangs on the clock of a merchant, which was moved. */
export const movedClockFaults: readonly Fault[] = [...twoClockFaults, ...forgettingFaults];
