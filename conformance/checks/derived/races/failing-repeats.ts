import { checkoutMerchant, checkoutRequest } from '../../../arrange/checkout-orders/checkout-orders.ts';
import { refundsClient } from '../../../arrange/refunds/client.ts';
import { makePaidOrder } from '../../../arrange/refunds/paid-orders.ts';
import { refundRequest } from '../../../arrange/refunds/refunds.ts';
import type { SignedClient } from '../../../arrange/requests/signed-client.ts';
import { atTheSameMoment, type Start } from '../../../arrange/situations/races.ts';
import type { CheckDeclaration } from '../../../check/define-checks.ts';
import { expectThat, isAccepted, summary } from '../../../check/expect.ts';
import { Inconclusive } from '../../../errors/outcomes.ts';
import { isFailure } from '../../support/failures.ts';

/** How often identical creates meet before a system error is taken for the answer to that. */
const meetings = 3;

/**
 * Lets two identical creates meet, again and again, and others with them that differ. The contract lets a service fail, but one that
 * always fails at one of the identical creates, and at none of the others, does not expect them to meet.
 */
async function expectNoFailureOfRepeats(
  client: SignedClient,
  path: string,
  bodies: () => Promise<{ repeated: unknown; others: readonly unknown[] }>,
): Promise<void> {
  const create = (body: unknown) => (start: Start) => client.post(path, body, start);
  for (let meeting = 1; ; meeting += 1) {
    const { repeated, others } = await bodies();
    const answers = await atTheSameMoment([repeated, repeated, ...others].map(create));
    const [same, different] = [answers.slice(0, 2), answers.slice(2)];
    const made = same.find(isAccepted);
    const lost = [...different, ...(made ? [] : same)].find((answer) => !isAccepted(answer));
    if (!made || lost) {
      const how = lost ? `, as it is alone: ${summary(lost)}` : '';
      throw new Inconclusive(`a create that met others was not accepted${how}`);
    }
    const failed = same.find((answer) => isFailure(answer));
    if (failed && meeting < meetings) continue;
    return expectThat(!failed, failed ?? made, {
      expected: 'the record that the other of two identical creates made, or a refusal of the repeat',
      actual: `a system error each of ${meetings} times, and not at other creates at the same moment: ${summary(failed ?? made)}`,
    });
  }
}

export const failingRepeatRaces: readonly CheckDeclaration[] = [
  {
    id: 'checkout.race.failing-repeat',
    title: 'A checkout create that is repeated while it is under way is not answered with a system error each time',
    requirements: ['checkout.create.repeat-identical'],
    async run(context) {
      const { client, method } = await checkoutMerchant(context, await context.merchant());
      const body = () => checkoutRequest(context, method);
      const bodies = async () => ({ repeated: body(), others: [body(), body()] });
      await expectNoFailureOfRepeats(client, client.createPath, bodies);
    },
  },
  {
    id: 'refunds.race.failing-repeat',
    title: 'A refund request that is repeated while it is under way is not answered with a system error each time',
    requirements: ['refunds.create.repeat-identical'],
    needs: ['order-events'],
    async run(context) {
      const merchant = await context.ownMerchant();
      const client = refundsClient(context, merchant);
      const body = async () => refundRequest(context, (await makePaidOrder(context, merchant)).orderId);
      const bodies = async () => {
        const [repeated, ...others] = await Promise.all([body(), body(), body()]);
        return { repeated, others };
      };
      await expectNoFailureOfRepeats(client, client.refundsPath, bodies);
    },
  },
];
