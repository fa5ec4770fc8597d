import type { RequirementId } from '../../../../../generated/catalogue.ts';
import { isObject, type JsonObject, valueAt } from '../../../../contract/json.ts';
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
