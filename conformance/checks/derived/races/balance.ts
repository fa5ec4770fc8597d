import { balanceForOne, balanceForTwo, merchantWithBalance } from '../../../arrange/refunds/balances.ts';
import { refundsClient } from '../../../arrange/refunds/client.ts';
import { makePaidOrder } from '../../../arrange/refunds/paid-orders.ts';
import { makeRefund, refundRequest } from '../../../arrange/refunds/refunds.ts';
import {
  atTheSameMoment,
  everyRound,
  racing,
  type Start,
  soonAfter,
  usualRounds,
} from '../../../arrange/situations/races.ts';
import { sideBySide } from '../../../arrange/situations/situations.ts';
import type { CheckDeclaration } from '../../../check/define-checks.ts';
import { expectThat, isAccepted } from '../../../check/expect.ts';
import { addDecimals, compareDecimals, isDecimalText } from '../../../contract/decimals.ts';
import { PermittedChoice } from '../../../errors/outcomes.ts';
import { type Answer, field } from '../../../wire/exchange.ts';

/** Sends creates together, each in its own time or all at the same moment. */
type SendTogether = (creates: readonly ((start: Partial<Start>) => Promise<Answer>)[]) => Promise<Answer[]>;

/** How many refunds compete at the same moment for a balance that covers one: two may both come to one part of a target, which takes them in turn. */
const competitors = 3;

/** How often they do. Of a server that spends a balance twice it is seen in one round of five. */
const roundsOfCompetitors = 12;

/** Fails where more refunds were accepted than a balance in USDT covers, as decimal text. */
function expectCovered(answers: readonly Answer[], balance: string): void {
  const accepted = answers.filter(isAccepted);
  const amounts = accepted.map((answer) => field(answer, 'data.merchantDeductAmount'));
  if (!amounts.every(isDecimalText))
    throw new PermittedChoice('merchantDeductAmount is not shown yet (open point refund-record-fields)');
  const last = accepted.at(-1);
  if (!last) return;
  const taken = addDecimals(amounts);
  expectThat(compareDecimals(taken, balance) <= 0, last, {
    expected: `no more accepted than ${balance} covers`,
    actual: `${accepted.length} accepted, which take ${taken}`,
  });
}

export const balanceRaces: readonly CheckDeclaration[] = [
  {
    id: 'refunds.race.balance',
    title: 'Of refunds under different ids at nearly the same moment, no more are accepted than the balance covers',
    requirements: ['refunds.create.reserves-funds'],
    needs: ['order-events', 'own-merchant'],
    async run(context) {
      const prepared = async (orders: number) => {
        const merchant = await merchantWithBalance(context, balanceForOne);
        const paid = await sideBySide(Array.from({ length: orders }, () => makePaidOrder(context, merchant)));
        const client = refundsClient(context, merchant);
        return paid.map(
          ({ orderId }) =>
            (start: Partial<Start>) =>
              client.post(client.refundsPath, refundRequest(context, orderId), start),
        );
      };
      /** Holds races of so many refunds each, one after the other. What they need is made side by side before. */
      const everyRace = async (races: number, refunds: number, send: SendTogether) => {
        const creates = await sideBySide(Array.from({ length: races }, () => prepared(refunds)));
        for (const each of creates) expectCovered(await send(each), balanceForOne);
      };
      await everyRace(usualRounds, 2, (creates) =>
        Promise.all(creates.map((create) => soonAfter(context, () => create({ racing: true })))),
      );
      // Where the balance is read just before it is written, only requests that end at the same moment meet in between.
      await everyRace(roundsOfCompetitors, competitors, atTheSameMoment);
    },
  },
  {
    id: 'refunds.race.given-back',
    title: 'What a refund reserves stays reserved where another one fails at nearly the same moment',
    requirements: ['refunds.create.reserves-funds'],
    needs: ['order-events', 'refund-events', 'own-merchant'],
    async run(context) {
      await everyRound(async () => {
        const merchant = await merchantWithBalance(context, balanceForTwo);
        const client = refundsClient(context, merchant);
        const [failed, order, ...more] = await Promise.all([
          makeRefund(context, merchant),
          ...[1, 2, 3].map(() => makePaidOrder(context, merchant)),
        ]);
        if (!order) return;
        const created: Answer[] = [];
        const create = async () => {
          created.push(await client.post(client.refundsPath, refundRequest(context, order.orderId), { racing: true }));
        };
        const fail = () => context.refundEvent(merchant, failed.refundOrderId, { type: 'failed' });
        await racing(context, [create, fail], failed.query);
        if (!created.every(isAccepted)) return;
        for (const { orderId } of more) created.push(await client.create(refundRequest(context, orderId)));
        const accepted = created.filter(isAccepted);
        expectThat(accepted.length < created.length, created.at(-1) ?? failed.created, {
          expected: `one of ${created.length} refunds refused, because ${balanceForTwo} covers two of them`,
          actual: `${accepted.length} accepted, one of them while another refund failed`,
        });
      });
    },
  },
];
