import type { RequirementId } from '../../../../../generated/catalogue.ts';
import { isObject, type JsonObject, setAt, valueAt } from '../../../../contract/json.ts';
import { withMatchingTotal } from '../../../../values/bodies.ts';
import { readingCreates, refusingCreates } from '../../../stand/changes.ts';
import type { Fault } from '../../../stand/fault.ts';
import { longest } from './lengths.ts';

const hasItems = (body: JsonObject) => Array.isArray(body.items);

/** A server that keeps the rules of some fields only where a create has items, or only where it has none. */
const heedlessOfSome = (name: string, applies: (body: JsonObject) => boolean, where: string): readonly Fault[] => [
  {
    id: `description-of-any-length-${name}`,
    title: `Cuts long descriptions off in creates ${where}.`,
    breaks: 'orders.create.description.length',
    caughtBy: 'orders.create.description.maxLength',
    make: {
      merchantApi: readingCreates((body) =>
        applies(body) && typeof body.description === 'string'
          ? { ...body, description: body.description.slice(0, longest('description')) }
          : body,
      ),
    },
  },
  {
    id: `categories-of-any-form-${name}`,
    title: `Leaves out the category codes of sub-merchants in creates ${where}.`,
    breaks: 'orders.create.sub-merchants.mcc',
    caughtBy: 'orders.create.subMerchants.mcc.pattern',
    make: {
      merchantApi: readingCreates((body) =>
        applies(body) && Array.isArray(body.subMerchants)
          ? { ...body, subMerchants: body.subMerchants.map((part) => ({ ...Object(part), mcc: '5943' })) }
          : body,
      ),
    },
  },
  {
    id: `sum-not-checked-${name}`,
    title: `Does not add up what sub-merchants get in creates ${where}.`,
    breaks: 'orders.create.sub-merchants.sum',
    caughtBy: 'orders.create.sub-merchants.sum-too-small',
    make: {
      merchantApi: readingCreates((body) => (applies(body) ? Object(withMatchingTotal(body)) : body)),
    },
  },
];

/** How many entries of a list are looked at. */
const page = 100;

/** A server that takes what comes in a list behind its first hundred entries as it is: `right` is what it reads there instead. */
const heedlessBehindPage = (
  field: 'items' | 'subMerchants',
  id: string,
  title: string,
  breaks: RequirementId,
  right: JsonObject,
): Fault => ({
  id,
  title,
  breaks,
  caughtBy: `orders.create.${field === 'items' ? 'items' : 'sub-merchants'}.last-of-many`,
  make: {
    merchantApi: readingCreates((body) => {
      const list = body[field];
      if (!Array.isArray(list)) return body;
      return { ...body, [field]: list.map((entry, index) => (index < page ? entry : { ...Object(entry), ...right })) };
    }),
  },
});

/** A server that takes what comes in some entries of a list as it is: `right` is what it reads there instead. */
const heedlessOfEntries = (
  field: 'items' | 'subMerchants',
  does: Pick<Fault, 'id' | 'title' | 'breaks'>,
  right: JsonObject,
  isPassedOver: (index: number, count: number) => boolean,
): Fault => ({
  ...does,
  caughtBy: `orders.create.${field === 'items' ? 'items' : 'sub-merchants'}.last-of-many`,
  make: {
    merchantApi: readingCreates((body) => {
      const list = body[field];
      if (!Array.isArray(list)) return body;
      const read = (entry: unknown, index: number) =>
        isPassedOver(index, list.length) ? { ...Object(entry), ...right } : entry;
      return { ...body, [field]: list.map(read) };
    }),
  },
});

const isThird = (index: number) => index === 2;
const isBetweenEnds = (index: number, count: number) => count > 12 && index > 11 && index < count - 1;

/** What a server reads that keeps the category codes of sub-merchants by their ids, so that of two with one id the later one's counts. */
function keptById(subMerchants: readonly unknown[]): unknown[] {
  const last = new Map(subMerchants.map((part) => [Object(part).subMerchantId, part]));
  return subMerchants.map((part) => ({ ...Object(part), mcc: Object(last.get(Object(part).subMerchantId)).mcc }));
}

/** Wrong servers that refuse items, or treat a create with items otherwise than one without. */
export const orderCreateItemFaults: readonly Fault[] = [
  heedlessBehindPage(
    'items',
    'quantities-of-the-first-hundred-items-checked',
    'Takes items behind the first hundred with any quantity or none.',
    'orders.create.items.required-fields',
    { quantity: 1 },
  ),
  heedlessBehindPage(
    'subMerchants',
    'categories-of-the-first-hundred-sub-merchants-checked',
    'Takes any category code of a sub-merchant behind the first hundred.',
    'orders.create.sub-merchants.mcc',
    { mcc: '5943' },
  ),
  heedlessOfEntries(
    'items',
    {
      id: 'quantities-of-third-items-unchecked',
      title: 'Takes the third item with any quantity or none.',
      breaks: 'orders.create.items.required-fields',
    },
    { quantity: 1 },
    isThird,
  ),
  {
    id: 'quantities-below-zero-of-third-items-taken',
    title: 'Takes a quantity below zero in the third item.',
    breaks: 'orders.create.items.quantity-positive',
    caughtBy: 'orders.create.items.last-of-many',
    make: {
      merchantApi: readingCreates((body) => {
        const [, , third] = [body.items].flat();
        return Number(valueAt(third, ['quantity'])) < 0 ? setAt(body, ['items', '2', 'quantity'], 1) : body;
      }),
    },
  },
  heedlessOfEntries(
    'subMerchants',
    {
      id: 'categories-of-third-sub-merchants-unchecked',
      title: 'Takes any category code of the third sub-merchant.',
      breaks: 'orders.create.sub-merchants.mcc',
    },
    { mcc: '5943' },
    isThird,
  ),
  heedlessOfEntries(
    'items',
    {
      id: 'quantities-between-the-ends-unchecked',
      title: 'Looks at the quantities of the first dozen items and of the last one.',
      breaks: 'orders.create.items.required-fields',
    },
    { quantity: 1 },
    isBetweenEnds,
  ),
  {
    id: 'sub-merchants-kept-by-id',
    title: 'Looks at the category code of the later one alone of two sub-merchants with one subMerchantId.',
    breaks: 'orders.create.sub-merchants.mcc',
    caughtBy: 'orders.create.sub-merchants.last-of-many',
    make: {
      merchantApi: readingCreates((body) =>
        Array.isArray(body.subMerchants) ? { ...body, subMerchants: keptById(body.subMerchants) } : body,
      ),
    },
  },
  ...(
    [
      ['low', 'Reads category codes as numbers, and refuses those below 700.', (code: number) => code < 700],
      ['high', 'Refuses category codes from 9951 on.', (code: number) => code > 9950],
    ] as const
  ).map(
    ([name, title, refuses]): Fault => ({
      id: `${name}-category-codes-refused`,
      title,
      breaks: 'orders.create.sub-merchants.mcc',
      caughtBy: 'orders.create.subMerchants.mcc.pattern',
      make: {
        merchantApi: refusingCreates(
          ({ subMerchants }) =>
            Array.isArray(subMerchants) &&
            subMerchants.some((part) => /^\d{4}$/.test(Object(part).mcc) && refuses(Number(Object(part).mcc))),
        ),
      },
    }),
  ),
  {
    id: 'quantities-beyond-integers-taken',
    title: 'Takes a quantity that is smaller than its integers for a large one.',
    breaks: 'orders.create.items.quantity-positive',
    caughtBy: 'orders.create.items.quantity.exclusiveMinimum',
    make: {
      merchantApi: readingCreates((body) => {
        const { items } = body;
        if (!Array.isArray(items)) return body;
        const wrapped = (item: unknown) =>
          Number(valueAt(item, ['quantity'])) < -(2 ** 63) ? { ...Object(item), quantity: 1 } : item;
        return { ...body, items: items.map(wrapped) };
      }),
    },
  },
  {
    id: 'items-refused',
    title: 'Refuses an order with line items.',
    breaks: 'orders.create.optional-fields',
    caughtBy: 'orders.create.every-optional-field',
    make: { merchantApi: refusingCreates((body) => body.items !== undefined) },
  },
  {
    id: 'split-beside-items-refused',
    title: 'Refuses creates with items and sub-merchants.',
    breaks: 'orders.create.sub-merchants.sum',
    caughtBy: 'orders.create.sub-merchants.exact-sum',
    make: { merchantApi: refusingCreates((body) => hasItems(body) && Array.isArray(body.subMerchants)) },
  },
  ...heedlessOfSome('with-items', hasItems, 'with items'),
  ...heedlessOfSome('without-items', (body) => !hasItems(body), 'without items'),
  {
    id: 'item-of-no-price-without-currency',
    title: 'Asks for no currency of an item that costs nothing.',
    breaks: 'orders.amount.required-fields',
    caughtBy: 'orders.create.empty-entries',
    make: {
      merchantApi: readingCreates((body) => {
        if (!Array.isArray(body.items)) return body;
        const read = (item: unknown) =>
          valueAt(item, ['amount', 'value']) === '0' ? setAt(item, ['amount', 'currency'], 'USDT') : item;
        return { ...body, items: body.items.map(read) };
      }),
    },
  },
  ...(['items', 'subMerchants'] as const).map(
    (field): Fault => ({
      id: `empty-entries-of-${field.toLowerCase()}-taken`,
      title: `Leaves entries of ${field} out that have no field.`,
      breaks: `orders.create.${field === 'items' ? 'items' : 'sub-merchants'}.required-fields`,
      caughtBy: 'orders.create.empty-entries',
      make: {
        merchantApi: readingCreates((body) => ({
          ...body,
          [field]: Array.isArray(body[field])
            ? body[field].filter((entry) => isObject(entry) && Object.keys(entry).length > 0)
            : body[field],
        })),
      },
    }),
  ),
];
