import { passageOf } from '../../arrange/authentication/passage.ts';
import { idOfRule, titleOf } from '../../arrange/authentication/rule.ts';
import { arrangedOperations } from '../../arrange/operations.ts';
import type { ArrangedOperation } from '../../arrange/requests/arranged-operation.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectRefused, needAccepted } from '../../check/expect.ts';
import { NotApplicable } from '../../errors/outcomes.ts';

/** How far the clock of a merchant is moved, in seconds: far beyond the time window, and not to the end of an order. */
const ahead = 600;

/** The operations that make nothing of which a time is judged. */
const queries = arrangedOperations.filter(({ method }) => method === 'GET');

/**
 * The check that no two timestamps are right that are further from each other than the time window is wide: where the present is, the time at
 * which a merchant's clock stands that was moved is not.
 */
const movedClockCheck = (operation: ArrangedOperation): CheckDeclaration => ({
  id: idOfRule({ name: 'moved-clock' }, operation),
  title: `${titleOf(operation, "that is signed for the time of the merchant's clock, which was moved,")} is refused, where one that is signed for the present is accepted`,
  calls: [operation.area],
  requirements: ['auth.timestamp.window'],
  needs: ['own-merchant', 'clock', ...operation.needs],
  async run(context) {
    const merchant = await context.ownMerchant();
    const { client, request } = await operation.prepare(context, merchant);
    await context.advanceClock(merchant, ahead);
    const moved = await client.send({ ...request, timestamp: String(context.now() + ahead * 1000) });
    // A platform under test may have but one clock, which every timestamp follows.
    const present = await client.send(request);
    if (passageOf(present) === 'refused') throw new NotApplicable('the clock of the target is the one that was moved');
    needAccepted(present, `${operation.noun}, signed for the present`);
    expectRefused(
      moved,
      `${operation.noun} with an X-Timestamp ${ahead} s ahead, at which the merchant's clock stands`,
    );
  },
});

/** The checks that timestamps are judged by one clock. */
export const authMovedClockChecks: readonly CheckDeclaration[] = queries.map(movedClockCheck);
