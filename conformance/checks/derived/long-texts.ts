import { limit } from '../../../generated/catalogue.ts';
import { checkoutOrders, hostedOrders, type ProductArrangement } from '../../arrange/products.ts';
import { refundsClient } from '../../arrange/refunds/client.ts';
import { makePaidOrder } from '../../arrange/refunds/paid-orders.ts';
import { type MadeRefund, makeRefund } from '../../arrange/refunds/refunds.ts';
import { waysToAsk } from '../../arrange/refunds/ways-to-ask.ts';
import { acceptedWith, ifTaken, sideBySide } from '../../arrange/situations/situations.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectAccepted, isAccepted } from '../../check/expect.ts';
import { lengthLimit } from '../../contract/lengths.ts';
import { otherJsonTexts } from '../../values/classes/addresses.ts';
import { expectEach } from '../support/batch-answers.ts';
import { type LongText, longJsonTexts } from '../support/long-texts.ts';

/** A check that metadata of full length and of every kind is taken. What comes back is judged by what every answer must echo. */
function longMetadata({ product, aNoun, create }: ProductArrangement, longest: number): CheckDeclaration {
  return {
    id: `${product}.situations.long-texts`,
    title: `metadata of ${longest} characters of every kind is taken with ${aNoun}, and the order is asked for`,
    requirements: [`${product}.create.accepted`],
    async run(context) {
      await sideBySide(
        longJsonTexts(longest).map(async ({ of, text, isOpen }) => {
          const { client, merchantOrderId, answer } = await create(context, { metadata: text });
          if (!isOpen) expectAccepted(answer, `metadata of ${longest} characters: ${of}`);
          if (isAccepted(answer)) await client.query(merchantOrderId);
        }),
      );
    },
  };
}

/** The longest text of a merchant's own that the contract has. It sets no bound for extraData, which may therefore be as long. */
const longest = limit('checkout.metadata.length', 'max');

/** Asks for a refund alone and in a batch. */
const look = ({ client, request, query }: MadeRefund) =>
  Promise.all([query(), client.batchQuery([request.merchantRefundOrderId])]);

/** Asks for a refund in every way, and sends its create again. */
const lookInEveryWay = (refund: MadeRefund) =>
  Promise.all([...waysToAsk(refund).map(({ ask }) => ask()), refund.client.create(refund.request)]);

/** An ordinary reason in a few sentences: no length is given for it, so that each of these is permitted. */
const longReason = 'The customer returned the goods unopened, and the warehouse has examined them. '.repeat(8).trim();

const longExtraData: CheckDeclaration = {
  id: 'refunds.situations.long-texts',
  title: `Refunds are made with a refundReason of ${longReason.length} characters and with extraData of every kind of JSON and of ${longest} characters of every kind, and asked for in every way`,
  requirements: ['refunds.create.accepted', 'refunds.batch-query.known'],
  needs: ['order-events'],
  async run(context) {
    const merchant = await context.merchant();
    const isBound = ({ isOpen }: LongText) => !isOpen;
    const texts = longJsonTexts(longest);
    await sideBySide([
      ...longJsonTexts(100)
        .filter(isBound)
        .map(({ text: extraData }) => makeRefund(context, merchant, { extraData }, acceptedWith({ extraData }))),
      // Whether JSON of another kind than an object is taken is open (open point `field-forms`).
      ...otherJsonTexts.map((extraData) => ifTaken(makeRefund(context, merchant, { extraData }))),
      makeRefund(context, merchant, { refundReason: longReason }, (created) =>
        expectAccepted(created, `a refund with a refundReason of ${longReason.length} characters`),
      ),
    ]);
    const long = await sideBySide(
      texts
        .filter(isBound)
        .map(({ of, text: extraData }) =>
          makeRefund(context, merchant, { extraData }, (created) =>
            expectAccepted(created, `a refund with extraData of ${longest} characters: ${of}`),
          ),
        ),
    );
    // Two more make the list of all longer than 64 KiB, at which answers are cut by careless buffers. How long extraData may be is not said.
    const veryLong = longJsonTexts(4 * longest).slice(0, 2);
    // A column of text often holds 65,535 bytes. Letters of other scripts are longer than that in bytes alone.
    const ofColumn = longJsonTexts(70_000).slice(0, 1);
    const inBytes = longJsonTexts(30_000).filter(({ of }) => of === 'letters of other scripts');
    const open = [...longJsonTexts(100), ...texts].filter(({ isOpen }) => isOpen);
    const others = await sideBySide(
      [...open, ...veryLong, ...ofColumn, ...inBytes].map(
        async ({ text: extraData }) => (await ifTaken(makeRefund(context, merchant, { extraData }))) ?? [],
      ),
    );
    const made = [...long, ...others.flat()];
    await sideBySide([...long.map(lookInEveryWay), ...others.flat().map(look)]);
    // The id of an order is a text of the merchant's own as well, and stands in the records of its refunds.
    const { limit: length } = lengthLimit('orders', 'merchantOrderId', 'maxLength');
    const order = await makePaidOrder(context, merchant, { merchantOrderId: context.newOrderId().padEnd(length, 'z') });
    await look(await makeRefund(context, merchant, { order }));
    // An answer that is long shows all of them, too.
    const ids = made.map(({ request }) => request.merchantRefundOrderId);
    const batch = await refundsClient(context, merchant).batchQuery(ids);
    expectEach(batch, ids, ids, 'a batch query for refunds with long texts', 'refunds.batch-query.known');
  },
};

/** Texts of a merchant's own, as long as they may be, of every kind of character. */
export const longTextChecks: readonly CheckDeclaration[] = [
  longMetadata(hostedOrders, limit('orders.metadata.length', 'max')),
  longMetadata(checkoutOrders, limit('checkout.metadata.length', 'max')),
  longExtraData,
];
