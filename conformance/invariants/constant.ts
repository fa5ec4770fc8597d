import type { RequirementId } from '../../generated/catalogue.ts';
import { isSameAmount } from '../contract/decimals.ts';
import { valueAt } from '../contract/json.ts';
import { isSameMoment } from '../contract/moments.ts';
import { show } from '../contract/show.ts';
import type { RequestRecord } from '../history/records.ts';
import { between } from './between.ts';
import type { Book, Entity, Sighting } from './book.ts';
import type { Invariant, InvariantRule, Judgement } from './invariant.ts';

/** A field that is the same in every answer that shows it. */
interface ConstantField {
  name: string;
  path: readonly string[];
  /** Whether two texts mean the same. */
  same(first: string, second: string): boolean;
  /** The sentence that says so, where it is not that on all constant fields. */
  requirement?: RequirementId;
  /** It is text for people, which may be in the language that a request asks for. */
  inLanguage?: true;
}

const text = (first: string, second: string) => first === second;

const field = (name: string, same: ConstantField['same'], ...path: readonly string[]): ConstantField => ({
  name,
  path,
  same,
});

const constants: readonly {
  area: Entity['area'];
  operations: readonly string[];
  noun: string;
  requirement: RequirementId;
  fields: readonly ConstantField[];
}[] = [
  {
    area: 'orders',
    operations: ['orders.create', 'orders.query'],
    noun: 'a hosted order',
    requirement: 'orders.view.constant',
    fields: [
      field('merchant-order-id', text, 'merchantOrderId'),
      field('created-at', isSameMoment, 'createdAt'),
      field('expires-at', isSameMoment, 'expiresAt'),
      field('checkout-url', text, 'checkoutUrl'),
      field('amount', isSameAmount, 'orderAmount', 'value'),
    ],
  },
  {
    area: 'checkout',
    operations: ['checkout.create', 'checkout.query'],
    noun: 'a checkout order',
    requirement: 'checkout.view.constant',
    fields: [
      field('merchant-order-id', text, 'merchantOrderId'),
      field('created-at', isSameMoment, 'createdAt'),
      field('expires-at', isSameMoment, 'expiresAt'),
      field('deposit-address', text, 'depositAddress'),
      field('payment-amount', isSameAmount, 'cryptoPaymentAmount', 'value'),
      field('payment-currency', text, 'cryptoPaymentAmount', 'currency'),
      field('metadata', text, 'metadata'),
      // The network never changes, and so its name does not either. The list of payment methods may have another one.
      {
        ...field('network-display-name', text, 'networkDisplayName'),
        requirement: 'checkout.network-display-name',
        inLanguage: true,
      },
    ],
  },
  {
    area: 'refunds',
    operations: ['refunds.create', 'refunds.query', 'refunds.batch-query'],
    noun: 'a refund',
    requirement: 'refunds.record.constant',
    fields: [
      field('merchant-refund-order-id', text, 'merchantRefundOrderId'),
      field('acquiring-order-id', text, 'acquiringOrderId'),
      field('merchant-order-id', text, 'merchantOrderId'),
      field('created-time', isSameMoment, 'createdTime'),
      field('refund-amount', isSameAmount, 'refundAmount'),
      field('refund-currency', text, 'refundCurrency'),
      field('payment-method', text, 'paymentMethod'),
      field('extra-data', text, 'extraData'),
    ],
  },
];

const ruleId = (operation: string, name: string) => `${operation}.constant.${name}`;

const rules: readonly InvariantRule[] = constants.flatMap(({ operations, noun, requirement, fields }) =>
  operations.flatMap((operation) =>
    fields.map(({ name, path, requirement: own }) => ({
      id: ruleId(operation, name),
      title: `${path.join('.')} of ${noun} is the same in every answer of ${operation} as when it was first shown`,
      requirements: [own ?? requirement] as const,
    })),
  ),
);

/** What was shown of an entity once and never changes is the same in every answer, whoever asks and by whichever id. */
export const constant: Invariant = { name: 'constant', rules, judge };

function* judge(book: Book): Iterable<Judgement> {
  for (const entity of book.entities) {
    const fields = constants.find(({ area }) => area === entity.area)?.fields ?? [];
    for (const each of fields) yield* judgeField(book, entity, each);
  }
}

const asksForLanguage = ({ headers }: RequestRecord): boolean =>
  Object.keys(headers).some((name) => name.toLowerCase() === 'accept-language');

/** Holds every later answer against the first that shows the field. Two that differ are one fault that names both. */
function* judgeField(book: Book, entity: Entity, { name, path, same, inLanguage }: ConstantField): Iterable<Judgement> {
  let first: { sighting: Sighting; shown: string } | undefined;
  for (const sighting of entity.sightings) {
    const shown = valueAt(sighting.view, path);
    if (typeof shown !== 'string' || (inLanguage && asksForLanguage(sighting.record))) continue;
    if (!first) {
      first = { sighting, shown };
      continue;
    }
    const rule = ruleId(sighting.exchanged.operation, name);
    const records = [first.sighting.record, sighting.record];
    if (same(first.shown, shown)) yield { rule, records };
    else {
      const field = `data.${path.join('.')}`;
      yield {
        rule,
        records,
        fault: {
          expected: `${field} is the same in both answers`,
          actual: `${field} = ${show(first.shown)} in the answer of ${first.sighting.exchanged.operation}, ${show(shown)} in the later one of ${sighting.exchanged.operation}${between(book, entity, first.sighting.record, sighting.record)}`,
        },
      };
    }
  }
}
