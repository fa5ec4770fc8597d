import type { Product } from '../../../arrange/orders/any-order.ts';
import { inDigits } from '../../../arrange/requests/further-fields.ts';
import { ifTaken } from '../../../arrange/situations/situations.ts';
import type { CheckContext } from '../../../check/context.ts';
import { generousLimit, ownMethods, ownRate, withoutCheckout } from '../../../check/merchant-settings.ts';
import { lengthLimit } from '../../../contract/lengths.ts';
import { coursesOf } from './courses.ts';
import type { Feature } from './features.ts';

// Features that orders of both products may have.

const hour = 3600;

/** Forms of the merchant's own id, at both bounds of its length. */
function idFeatures(product: Product): readonly Feature[] {
  const shortest = lengthLimit(product, 'merchantOrderId', 'minLength').limit;
  const longest = lengthLimit(product, 'merchantOrderId', 'maxLength').limit;
  return [
    {},
    { words: 'under an id as short as it may be', id: (unused) => unused.slice(-shortest) },
    { words: 'under an id of digits', id: (unused) => inDigits(unused.slice(-shortest)) },
    { words: 'under an id as long as it may be', id: (unused) => unused.padEnd(longest, 'q') },
    { words: 'under an id between signs', id: (unused) => `_${unused}-` },
    { words: 'under an id of capital letters', id: (unused) => unused.toUpperCase() },
  ];
}

/** Forms of the address for webhooks. */
const addressFeatures: readonly Feature[] = [
  {},
  {
    words: 'whose callbackUrl has a query',
    address: (context) => context.mailbox('?shop=7&of=%20x+y'),
  },
  {
    words: 'whose callbackUrl has no path',
    address: async (context) => (await ifTaken(context.bareMailbox())) ?? context.mailbox(),
  },
  { words: 'whose callbackUrl has an unusual path', address: (context) => context.mailbox('', 'unusual') },
];

/** Others under the same id. */
const namesakeFeatures = (context: CheckContext, product: Product): readonly Feature[] => [
  {},
  ...(context.has('own-merchant')
    ? ([
        { words: 'whose id an order of another merchant has too', namesake: 'of another merchant' },
        { words: 'whose create another merchant sends too', isSentByAnother: true },
      ] as const)
    : []),
  { words: 'from whose id that of another order differs in the case of its letters', namesake: 'in other letters' },
  ...(context.has(product === 'orders' ? 'checkout' : 'orders')
    ? [{ words: "whose id one of the merchant's other product has too", namesake: 'of the other product' } as const]
    : []),
];

/** For how long it may be paid. How far off that may end is open for hosted orders. */
const lifetimeFeatures = (product: Product): readonly Feature[] => [
  {},
  { words: 'which may be paid for 20 hours', lifetime: 20 * hour, ...(product === 'orders' && { isOpen: true }) },
  ...(product === 'orders'
    ? [{ words: 'which may be paid for 400 days', lifetime: 400 * 24 * hour, isOpen: true } as const]
    : []),
];

/** Settings of the merchant that leave to orders of a product what those of every merchant may do. */
export const settingsFeatures = (product: Product) => [
  {},
  { words: 'of a merchant with a rate of its own', settings: ownRate },
  { words: 'of a merchant with payment methods of its own', settings: ownMethods },
  { words: 'of a merchant with a rate limit', settings: generousLimit },
  ...(product === 'orders' ? [{ words: 'of a merchant without checkout', settings: withoutCheckout }] : []),
];

/** The lists of features that orders of a product share with those of the other one. */
export function sharedFeatures(context: CheckContext, product: Product): readonly (readonly Feature[])[] {
  const isHeard = context.has('webhooks') && context.has('webhook-receiver');
  return [
    coursesOf(context, product).map((course) => ({ words: course.words, course })),
    settingsFeatures(product),
    idFeatures(product),
    namesakeFeatures(context, product),
    ...(isHeard ? [addressFeatures] : []),
    ...(isHeard && context.has('clock')
      ? [[{}, { words: 'whose event is not acknowledged', isUnheard: true } as const]]
      : []),
    ...(context.has('clock')
      ? [lifetimeFeatures(product), [{}, { words: 'to which nothing happens for ten minutes', quietTime: 600 }]]
      : []),
    [{}, { words: 'asked for before', isAskedBefore: true }],
    [{}, { words: 'whose create comes again', isRepeated: true }],
  ];
}
