import { Decimal } from 'decimal.js';
import type { RequirementId } from '../../../../../generated/catalogue.ts';
import type { AppParts } from '../../../../../server/app.ts';
import { compareAmounts, sumAmounts } from '../../../../../server/domain/money.ts';
import type { OrderCreateRequest } from '../../../../../server/domain/order.ts';
import { isObject } from '../../../../contract/json.ts';
import { bodyOf, merchantIdOf, readingCreates, refusingCreates } from '../../../stand/changes.ts';
import type { Fault, Make } from '../../../stand/fault.ts';

type SubMerchants = NonNullable<OrderCreateRequest['subMerchants']>;

/** A server that refuses splits of a price in USD where that does not come to as much in USDT. */
function refusingSplitsAtOtherRates(): Make {
  const rated = new Set<unknown>();
  return {
    control: async (request, server) => {
      const answer = await server.forward(request);
      if (Number(bodyOf(request)?.usdRate ?? 1) !== 1) rated.add(bodyOf(answer)?.merchantId);
      return answer;
    },
    merchantApi: refusingCreates(
      ({ subMerchants, orderAmount }, request) =>
        Array.isArray(subMerchants) && Object(orderAmount).currency === 'USD' && rated.has(merchantIdOf(request)),
    ),
  };
}

/** A server with another rule for the sum of the sub-merchants' amounts. `holds` gets these amounts, the total and the sub-merchants. */
const summing = (holds: (amounts: readonly string[], total: string, subMerchants: SubMerchants) => boolean): Make => ({
  parts: (parts): AppParts => {
    const createOrder = parts.rules.createOrder.filter(
      ({ requirement }) => requirement !== 'orders.create.sub-merchants.sum',
    );
    const rule = {
      requirement: 'orders.create.sub-merchants.sum' as const,
      violation: ({ subMerchants = [], orderAmount }: OrderCreateRequest) =>
        subMerchants.length === 0 ||
        holds(
          subMerchants.map(({ amount }) => amount),
          orderAmount.value,
          subMerchants,
        )
          ? undefined
          : 'subMerchants: the amounts do not make the total',
    };
    return { ...parts, rules: { ...parts.rules, createOrder: [...createOrder, rule] } };
  },
});

const sumOfDoubles = (amounts: readonly string[]) => amounts.map(Number).reduce((sum, each) => sum + each, 0);

/** Wrong servers that check the sub-merchants of a create wrongly, and the sum of what they get. */
export const orderCreateSubMerchantFaults: readonly Fault[] = [
  {
    id: 'zero-taken-for-no-name',
    title: 'Refuses a sub-merchant whose name is the text 0 as one without a name.',
    breaks: 'orders.create.sub-merchants.name-length',
    caughtBy: 'orders.create.subMerchants.name.minLength',
    make: {
      merchantApi: refusingCreates(
        ({ subMerchants }) => Array.isArray(subMerchants) && subMerchants.some((each) => Object(each).name === '0'),
      ),
    },
  },
  ...(
    [
      ['mcc', 'settlementRatio', '5943', 'orders.create.sub-merchants.mcc', 'mcc.pattern'],
      ['settlementRatio', 'mcc', '0.95', 'orders.create.sub-merchants.settlement-ratio', 'settlementRatio.maximum'],
    ] as const
  ).map(([field, other, right, breaks, check]) => ({
    id: `sub-merchant-${field === 'mcc' ? 'mcc' : 'ratio'}-unchecked-alone`,
    title: `Looks at the ${field} of a sub-merchant only where it has a ${other} too.`,
    breaks,
    caughtBy: `orders.create.subMerchants.${check}`,
    make: {
      merchantApi: readingCreates((body) => {
        if (!Array.isArray(body.subMerchants)) return body;
        const read = (part: unknown) =>
          isObject(part) && part[field] !== undefined && part[other] === undefined ? { ...part, [field]: right } : part;
        return { ...body, subMerchants: body.subMerchants.map(read) };
      }),
    },
  })),
  {
    id: 'settlement-ratios-beyond-one-refused',
    title: 'Refuses sub-merchants whose settlement ratios are more than 1 together.',
    breaks: 'orders.create.sub-merchants.settlement-ratio',
    caughtBy: 'orders.create.sub-merchants.exact-sum',
    make: {
      merchantApi: refusingCreates(({ subMerchants }) => {
        const ratios = Array.isArray(subMerchants)
          ? subMerchants.map((each) => Number(Object(each).settlementRatio ?? 0))
          : [];
        // A ratio that is wrong alone is refused by the server itself.
        return ratios.every((ratio) => ratio <= 1) && ratios.reduce((sum, ratio) => sum + ratio, 0) > 1;
      }),
    },
  },
  {
    id: 'split-in-usd-compared-in-usdt',
    title: 'Compares the amounts of sub-merchants with what a price in USD comes to in USDT.',
    breaks: 'orders.create.sub-merchants.sum',
    caughtBy: 'orders.create.sub-merchants.exact-sum',
    make: refusingSplitsAtOtherRates(),
  },
  {
    id: 'settlement-ratios-of-five-places-refused',
    title: 'Refuses sub-merchants whose settlement ratio has more than four decimal places.',
    breaks: 'orders.create.sub-merchants.settlement-ratio',
    caughtBy: 'orders.create.sub-merchants.exact-sum',
    make: {
      merchantApi: refusingCreates(
        ({ subMerchants }) =>
          Array.isArray(subMerchants) &&
          subMerchants.some((each) => /^0\.[0-9]{5,}$/.test(String(Object(each).settlementRatio))),
      ),
    },
  },
  {
    id: 'parts-without-number-dropped',
    title: 'Leaves out the parts of a split whose amount is no number.',
    breaks: 'orders.create.sub-merchants.amount-number',
    caughtBy: 'orders.create.subMerchants.amount.number',
    make: {
      merchantApi: readingCreates((body) => {
        const { subMerchants } = body;
        if (!Array.isArray(subMerchants)) return body;
        const numbers = subMerchants.filter((part) => /[0-9]/.test(String(Object(part).amount)));
        return numbers.length === subMerchants.length ? body : { ...body, subMerchants: numbers };
      }),
    },
  },
  ...(
    [
      ['sum-not-checked', 'Does not add up what sub-merchants get.', 'sum-too-small', () => true],
      [
        'sum-may-be-smaller',
        'Checks only that sub-merchants do not get more than the order brings.',
        'sum-too-small',
        (amounts: readonly string[], total: string) => compareAmounts(sumAmounts(amounts), total) <= 0,
      ],
      [
        'sum-may-be-larger',
        'Checks only that sub-merchants get all that the order brings.',
        'sum-too-large',
        (amounts: readonly string[], total: string) => compareAmounts(sumAmounts(amounts), total) >= 0,
      ],
      [
        'sum-to-the-cent',
        'Compares the sum of sub-merchants with the total to two decimal places.',
        'sum-too-large',
        (amounts: readonly string[], total: string) => sumOfDoubles(amounts).toFixed(2) === Number(total).toFixed(2),
      ],
      [
        'sum-in-doubles',
        'Adds up what sub-merchants get in binary floating point.',
        'exact-sum',
        (amounts: readonly string[], total: string) => sumOfDoubles(amounts) === Number(total),
      ],
      [
        'sum-to-twenty-digits',
        'Adds up what sub-merchants get to 20 digits.',
        'sum-too-large',
        (amounts: readonly string[], total: string) =>
          Decimal.sum(...amounts).eq(new Decimal(total).toSignificantDigits(20)),
      ],
      [
        'sum-to-28-digits',
        'Compares the sum of sub-merchants with the total to 28 digits.',
        'sum-too-small',
        (amounts: readonly string[], total: string) =>
          compareAmounts(sumAmounts(amounts), new Decimal(total).toSignificantDigits(28).toFixed()) === 0,
      ],
      [
        'sum-compared-as-text',
        'Compares the sum of sub-merchants with the total as text.',
        'exact-sum',
        (amounts: readonly string[], total: string) => sumAmounts(amounts) === total,
      ],
      [
        'sum-of-first-hundred',
        'Adds up what the first hundred sub-merchants get.',
        'sum-of-part',
        (amounts: readonly string[], total: string) => compareAmounts(sumAmounts(amounts.slice(0, 100)), total) === 0,
      ],
      [
        'sum-of-first-ten',
        'Adds up what the first ten sub-merchants get.',
        'exact-sum',
        (amounts: readonly string[], total: string) => compareAmounts(sumAmounts(amounts.slice(0, 10)), total) === 0,
      ],
      [
        'sum-by-id',
        'Counts one of the sub-merchants with the same id.',
        'sum-of-part',
        (_: readonly string[], total: string, subMerchants: SubMerchants) => {
          const byId = new Map(subMerchants.map(({ subMerchantId, amount }) => [subMerchantId, amount]));
          return compareAmounts(sumAmounts([...byId.values()]), total) === 0;
        },
      ],
      [
        'sum-must-differ',
        'Takes a split only if its sum is not the total.',
        'sum-too-small',
        (amounts: readonly string[], total: string) => sumAmounts(amounts) !== total,
      ],
    ] as const
  ).map(
    ([id, title, check, holds]): Fault => ({
      id,
      title,
      breaks: 'orders.create.sub-merchants.sum' satisfies RequirementId,
      caughtBy: `orders.create.sub-merchants.${check}`,
      make: summing(holds),
    }),
  ),
  {
    id: 'mcc-read-as-number',
    title: 'Reads a category code as a number, and refuses one that begins with 0.',
    breaks: 'orders.create.sub-merchants.mcc',
    caughtBy: 'orders.create.subMerchants.mcc.pattern',
    make: {
      merchantApi: refusingCreates(({ subMerchants }) =>
        [subMerchants].flat().some((part) => isObject(part) && /^0\d{3}$/.test(String(part.mcc))),
      ),
    },
  },
  {
    id: 'mcc-of-zeros-taken-for-none',
    title: 'Takes the category code 0000 for none, and refuses it.',
    breaks: 'orders.create.sub-merchants.mcc',
    caughtBy: 'orders.create.subMerchants.mcc.pattern',
    make: {
      merchantApi: refusingCreates(({ subMerchants }) =>
        [subMerchants].flat().some((part) => isObject(part) && part.mcc === '0000'),
      ),
    },
  },
];
