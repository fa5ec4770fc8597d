import type { RequirementId } from '../../../generated/catalogue-ids.ts';
import { type OrderCreateRequest, ordersClient } from '../../arrange/orders/client.ts';
import { optionalFields, ticket } from '../../arrange/orders/optional-fields.ts';
import { isRefusedSplit, noSubMerchants, orderRequest } from '../../arrange/orders/orders.ts';
import { sendOrderCreate } from '../../arrange/products.ts';
import { sideBySide } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectAccepted, expectRefused, isAccepted, needAccepted } from '../../check/expect.ts';
import { addDecimals } from '../../contract/decimals.ts';
import { lengthLimit } from '../../contract/lengths.ts';
import { show } from '../../contract/show.ts';
import { PermittedChoice } from '../../errors/outcomes.ts';
import { type Answer, field } from '../../wire/exchange.ts';

type PricedIn = OrderCreateRequest['orderAmount']['currency'];

/** The fields of a create whose order of `total` is split among sub-merchants with these amounts. */
function split(total: string, amounts: readonly string[], currency: PricedIn = 'USDT'): Partial<OrderCreateRequest> {
  return {
    orderAmount: { value: total, currency },
    subMerchants: amounts.map((amount, index) => ({ subMerchantId: `sub-${index}`, name: `Shop ${index}`, amount })),
  };
}

/**
 * The answer to a create whose split keeps every rule, after the same create without a split was accepted. Throws
 * `Inconclusive` when neither is accepted, or the split is not refused as a parameter.
 */
async function answerToSplit(context: CheckContext, total: string, amounts: readonly string[], currency?: PricedIn) {
  const { orderAmount, ...parts } = split(total, amounts, currency);
  const twin = await sendOrderCreate(context, orderAmount ? { orderAmount } : {});
  needAccepted(twin.answer, 'the same create without subMerchants');
  const { answer } = await sendOrderCreate(context, { ...(orderAmount && { orderAmount }), ...parts });
  if (!isRefusedSplit(answer)) needAccepted(answer, 'a create with subMerchants');
  return answer;
}

/** Creates an order with a split that keeps every rule. Throws `PermittedChoice` where this merchant may not send any. */
async function createSplit(
  context: CheckContext,
  total: string,
  amounts: readonly string[],
  currency?: PricedIn,
): Promise<void> {
  if (!isAccepted(await answerToSplit(context, total, amounts, currency))) throw new PermittedChoice(noSubMerchants);
}

/**
 * Fails unless the target refuses a split whose sum is not the total, after it was asked for the split with the right total. Where it refuses
 * even that one, which it may, it must not accept the wrong one.
 */
async function sumRule(
  context: CheckContext,
  wrongTotal: string,
  amounts: readonly string[],
  currency: PricedIn,
): Promise<void> {
  const sum = addDecimals(amounts);
  const right = await answerToSplit(context, sum, amounts, currency);
  // A target may add the amounts up only where nothing else says what the order is made of.
  const others = amounts.length > 1 && currency === 'USDT' ? optionalFields : {};
  const wrong = await sendOrderCreate(context, { ...others, ...split(wrongTotal, amounts, currency) });
  const count = amounts.length === 1 ? 'one sub-merchant amount' : `${amounts.length} sub-merchant amounts`;
  const parts = others === optionalFields ? `beside every other field, ${count}` : count;
  expectRefused(wrong.answer, `${parts} with the sum ${sum} for an order of ${wrongTotal} ${currency}`);
  const afterwards = await wrong.client.query(wrong.merchantOrderId);
  expectRefused(afterwards, 'a query for the order that was refused', 'orders.errors.refused');
  if (!isAccepted(right)) throw new PermittedChoice(noSubMerchants);
}

/** Into how many sub-merchants an order may be split in every target. */
const mostParts = lengthLimit('orders', 'subMerchants', 'maxItems').limit;

/** Into how many sub-merchants an order is split, and how it is priced. */
const splits: readonly (readonly [parts: number, currency: PricedIn])[] = [
  [2, 'USDT'],
  [1, 'USD'],
  [1, 'USDT'],
  [9, 'USD'],
];

/** The rule of the sum for every split of 900, which with 18 decimal places has more digits than a library may round to; `last` changes the last amount. */
async function sumRules(context: CheckContext, wrongTotal: string, last: (whole: string) => string): Promise<void> {
  await sideBySide(
    splits.map(([parts, currency]) => {
      const amounts = Array.from({ length: parts }, () => String(900 / parts));
      return sumRule(context, wrongTotal, [...amounts.slice(1), last(amounts[0] ?? '')], currency);
    }),
  );
}

/** A wrong split for a reader that leaves a part of it, or some digits, out of account. */
interface MisreadSplit {
  words: string;
  /** What the order costs. Absent: 900. */
  total?: string;
  amounts: readonly string[];
  /** All sub-merchants have one subMerchantId. */
  sameId?: true;
}

/** Splits for 900 of which a server that adds up no more than a part, or reads no more than some digits, sees the right sum. */
const partialSplits: readonly MisreadSplit[] = [
  ...[1, 9, 100, 450].map((parts) => ({
    words: `the first ${parts} of ${parts + 1} sub-merchants get 900`,
    amounts: [...Array.from({ length: parts }, () => String(900 / parts)), '2'],
  })),
  { words: 'the last of 2 sub-merchants gets 900', amounts: ['2', '900'] },
  { words: 'the first of 2 sub-merchants with one subMerchantId gets 900', amounts: ['900', '2'], sameId: true },
  { words: 'the last of 2 sub-merchants with one subMerchantId gets 900', amounts: ['2', '900'], sameId: true },
  { words: 'sub-merchants with one subMerchantId get 900 and 900', amounts: ['900', '900'], sameId: true },
  // The same digits, where the zeros behind them do not count.
  { words: '2 sub-merchants get ten times as much', amounts: ['4500', '4500'] },
  { words: '2 sub-merchants get a tenth', amounts: ['45', '45'] },
];

/** A split whose difference is beyond the digits to which a library for decimals may round. A target may refuse amounts as large as that. */
const wideSplit: MisreadSplit = {
  words: '2 sub-merchants get 450000000000000000000 each',
  total: '900000000000000000000.000000000000000001',
  amounts: ['450000000000000000000', '450000000000000000000'],
};

/** Fails where such an amount is taken alone and not in a right split. */
async function expectWideSplitTaken(context: CheckContext): Promise<void> {
  const { total = '', amounts } = wideSplit;
  const [first = '', ...others] = amounts;
  const right = split(total, [addDecimals([first, '0.000000000000000001']), ...others]);
  const { subMerchants: _left, ...unsplit } = right;
  const alone = (await sendOrderCreate(context, unsplit)).answer;
  if (!isAccepted(alone)) return;
  expectAccepted(
    (await sendOrderCreate(context, right)).answer,
    `amounts that make ${total}, for an order of ${total}`,
  );
}

/** Fails where a right split of a price in USD is refused, and one in USDT is not: what it comes to in USDT is another sum. */
async function expectSplitInUsdTaken(context: CheckContext): Promise<void> {
  const client = ordersClient(context, await context.ownMerchant({ usdRate: '1.25' }));
  const create = (currency: PricedIn) => client.create(orderRequest(context, split('10', ['4', '6'], currency)));
  // A merchant of the check's own need not be a platform.
  if (!isAccepted(await create('USDT'))) return;
  const what = 'amounts of 4 and 6 for an order of 10 USD, where 1 USD comes to 1.25 USDT';
  expectAccepted(await create('USD'), what, 'orders.create.sub-merchants.sum');
}

/** Fails unless the target refuses such a split. */
async function expectSplitRefused(
  context: CheckContext,
  { words, total = '900', amounts, sameId }: MisreadSplit,
): Promise<void> {
  const { subMerchants = [], ...rest } = split(total, amounts);
  const parts = subMerchants.map((part) => ({ ...part, ...(sameId && { subMerchantId: 'sub-0' }) }));
  const { client, merchantOrderId, answer } = await sendOrderCreate(context, { ...rest, subMerchants: parts });
  expectRefused(answer, `an order of ${total} where ${words}, and all of them ${addDecimals(amounts)}`);
  const afterwards = await client.query(merchantOrderId);
  expectRefused(afterwards, 'a query for the order that was refused', 'orders.errors.refused');
}

export const subMerchantChecks: readonly CheckDeclaration[] = [
  {
    id: 'orders.create.empty-entries',
    title:
      'An item or a sub-merchant without any field is refused, also where others stand beside it, and a price of nothing without currency',
    requirements: [
      'orders.create.items.required-fields',
      'orders.create.sub-merchants.required-fields',
      'orders.amount.required-fields',
    ],
    async run(context) {
      const client = ordersClient(context, await context.merchant());
      needAccepted(await client.create(orderRequest(context, { items: [ticket] })), 'the same create with an item');
      const { subMerchants = [], orderAmount } = split('9.50', ['9.50']);
      const wrong: [object, RequirementId][] = [{}, null].flatMap((entry): [object, RequirementId][] => [
        [{ items: [entry] }, 'orders.create.items.required-fields'],
        [{ items: [ticket, entry] }, 'orders.create.items.required-fields'],
        [{ orderAmount, subMerchants: [...subMerchants, entry] }, 'orders.create.sub-merchants.required-fields'],
      ]);
      // What costs nothing has a currency, too.
      wrong.push([{ items: [{ ...ticket, amount: { value: '0' } }] }, 'orders.amount.required-fields']);
      await sideBySide(
        wrong.map(async ([fields, requirement]) => {
          const answer = await client.createAnything({ ...orderRequest(context), ...fields });
          expectRefused(answer, `a create with ${show(fields)}`, requirement);
        }),
      );
    },
  },
  {
    id: 'orders.create.sub-merchants.sum-too-small',
    title: 'A split that makes less than the amount is refused, down to the last decimal place',
    requirements: ['orders.create.sub-merchants.sum', 'orders.errors.refused'],
    async run(context) {
      await sumRules(context, '900.000000000000000001', (whole) => whole);
      await expectSplitRefused(context, wideSplit);
    },
  },
  {
    id: 'orders.create.sub-merchants.sum-too-large',
    title: 'A split that makes more than the amount is refused, down to the last decimal place',
    requirements: ['orders.create.sub-merchants.sum', 'orders.errors.refused'],
    run: (context) => sumRules(context, '900', (whole) => addDecimals([whole, '0.000000000000000001'])),
  },
  {
    id: 'orders.create.sub-merchants.sum-of-part',
    title: 'A split of which a part makes the amount, and all of it makes more, is refused',
    requirements: ['orders.create.sub-merchants.sum', 'orders.errors.refused'],
    async run(context) {
      const right = await answerToSplit(context, '900', ['450', '450']);
      await sideBySide(partialSplits.map((partial) => expectSplitRefused(context, partial)));
      if (!isAccepted(right)) throw new PermittedChoice(noSubMerchants);
    },
  },
  {
    id: 'orders.create.sub-merchants.exact-sum',
    title: 'A split whose sum is exact in decimals, though not in binary floating point or as text, is accepted',
    requirements: ['orders.create.sub-merchants.sum', 'orders.create.sub-merchants.settlement-ratio'],
    async run(context) {
      await createSplit(context, '9.5', ['4.5', '5']);
      // 1.1 + 2.2 is 3.3000000000000003 for a double, and 9.5 is not the text 9.50.
      const splits: [string, string[]][] = [
        ['3.3', ['1.1', '2.2']],
        ['9.50', ['4.5', '5']],
      ];
      const summed = splits.map(async ([total, amounts]) => {
        const { answer } = await sendOrderCreate(context, split(total, amounts));
        expectAccepted(answer, `sub-merchant amounts of ${amounts.join(' and ')} for an order of ${total}`);
      });
      // The last one counts as much as the first, however many there are.
      const long = [11, 101, mostParts].map(async (parts) => {
        const amounts = [...Array.from({ length: parts - 1 }, () => '1'), String(901 - parts)];
        const { answer } = await sendOrderCreate(context, split('900', amounts));
        expectAccepted(answer, `amounts of ${parts} sub-merchants that make 900, for an order of 900`);
      });
      const beside = async () => {
        const every = { ...optionalFields, ...split('9.50', ['4.75', '4.75']), items: [ticket] };
        expectAccepted((await sendOrderCreate(context, every)).answer, 'sub-merchants beside every other field');
      };
      // A ratio is a part of its own sub-merchant's amount, and so the ratios of several need not make 1.
      const { subMerchants = [], ...others } = split('9.50', ['4.75', '4.75']);
      const settled = ['0.95', '0.333333'].map(async (settlementRatio) => {
        const each = subMerchants.map((subMerchant) => ({ ...subMerchant, settlementRatio }));
        expectAccepted(
          (await sendOrderCreate(context, { ...others, subMerchants: each })).answer,
          `two sub-merchants with a settlementRatio of ${settlementRatio} each`,
          'orders.create.sub-merchants.settlement-ratio',
        );
      });
      await sideBySide([
        ...[...summed, ...long, expectWideSplitTaken(context), beside(), ...settled],
        ...(context.has('own-merchant') ? [expectSplitInUsdTaken(context)] : []),
      ]);
    },
  },
  {
    id: 'orders.create.sub-merchants.any-merchant',
    title: 'Whether this merchant may send subMerchants',
    requirements: ['orders.create.sub-merchants.platform-only'],
    async run(context) {
      const answer = await answerToSplit(context, '9.5', ['4.5', '5']);
      const value = isAccepted(answer) ? 'accepted' : 'refused';
      context.observeIn(answer, 'sub-merchants-platform-only', `${value}: code ${show(field(answer, 'code'))}`, value);
    },
  },
  {
    id: 'orders.create.sub-merchants.settlement-ratio-edges',
    title: 'Whether settlementRatio may be 0 and 1',
    requirements: ['orders.create.sub-merchants.settlement-ratio-edges'],
    async run(context) {
      await createSplit(context, '9.5', ['4.5', '5']);
      const answers: Answer[] = [];
      for (const settlementRatio of ['0', '1']) {
        const request = split('9.5', ['4.5', '5']);
        const subMerchants = request.subMerchants?.map((part) => ({ ...part, settlementRatio }));
        answers.push((await sendOrderCreate(context, { ...request, ...(subMerchants && { subMerchants }) })).answer);
      }
      const taken = answers.map(isAccepted);
      const seen = `0: ${taken[0] ? 'accepted' : 'refused'}; 1: ${taken[1] ? 'accepted' : 'refused'}`;
      const value = taken.every(Boolean) ? 'inclusive' : taken.some(Boolean) ? null : 'exclusive';
      context.observeIn(answers, 'settlement-ratio-edges', seen, value);
    },
  },
];
