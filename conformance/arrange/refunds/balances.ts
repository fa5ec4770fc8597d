import type { CheckContext } from '../../check/context.ts';
import type { Credentials } from '../../drivers/driver.ts';

/** A balance that covers one refund of an ordinary order, and not two: decimal text in USDT. Fees of less than a half are allowed for. */
export const balanceForOne = '15';

/** A balance that covers two refunds of an ordinary order, and not three. */
export const balanceForTwo = '24';

/** More than a balance for one refund covers, whatever the fee of a refund is. */
export const tooMuch = '150';

/** The smallest amount that every stablecoin of the platform has. */
export const smallestOfAll = '0.000001';

/** A merchant for this check alone with a balance in USDT, as decimal text. */
export const merchantWithBalance = (context: CheckContext, USDT: string): Promise<Credentials> =>
  context.ownMerchant({ balances: { USDT } });
