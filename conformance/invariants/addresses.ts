import { type Network, networks } from '../../generated/catalogue.ts';
import { show } from '../contract/show.ts';
import { addressForms, type OnChainForm, transactionForms } from './address-forms.ts';
import { type Book, type Entity, type Sighting, textAt } from './book.ts';
import type { Invariant, InvariantRule, Judgement } from './invariant.ts';
import { givenAs, type KnownPayment, paymentOf } from './money/paid.ts';

type Family = Network['addressFamily'];

/** A field of a view that shows an address or a transaction. */
interface OnChainField {
  name: string;
  operation: string;
  path: readonly string[];
  /** With its article, for messages. */
  noun: string;
  requirement: InvariantRule['requirements'][0];
  forms: Readonly<Record<Family, OnChainForm>>;
  /** What the driver calls it. Absent: no driver names it. */
  vouched?: 'fromAddress' | 'transactionHash';
}

const deposits = ['checkout.create', 'checkout.query'].map(
  (operation): OnChainField => ({
    name: 'deposit',
    operation,
    path: ['depositAddress'],
    noun: 'an address',
    requirement: 'checkout.view.deposit-address.form',
    forms: addressForms,
  }),
);

/** The fields of a payment, which the two products do not name alike. */
const ofPayment = (
  operation: string,
  hash: string,
  requirement: InvariantRule['requirements'][0],
): readonly OnChainField[] => {
  const at = (key: string) => ({ operation, path: ['cryptoPaymentDetail', key], requirement });
  const address = { noun: 'an address', forms: addressForms };
  return [
    { ...at(hash), name: 'transaction', noun: 'a transaction', forms: transactionForms, vouched: 'transactionHash' },
    { ...at('fromAddress'), name: 'payer', ...address, vouched: 'fromAddress' },
    { ...at('toAddress'), name: 'receiver', ...address },
  ];
};

const fields: readonly OnChainField[] = [
  ...deposits,
  ...ofPayment('orders.query', 'txHash', 'orders.view.payment-detail.form'),
  ...ofPayment('checkout.query', 'transactionHash', 'checkout.view.payment-detail.form'),
];

const ruleId = ({ operation, name }: OnChainField) => `${operation}.addresses.${name}`;

const rules: readonly InvariantRule[] = fields.map((field) => ({
  id: ruleId(field),
  title: `Every ${field.path.join('.')} in a success of ${field.operation} has the form of the network that it is on`,
  requirements: [field.requirement],
}));

/** A wallet can send to the addresses that views show, and a block explorer finds their transactions. */
export const addresses: Invariant = { name: 'addresses', rules, judge };

function* judge(book: Book): Iterable<Judgement> {
  for (const order of book.entities) {
    if (order.area === 'refunds') continue;
    const payment = paymentOf(book, order);
    for (const sighting of order.sightings) {
      const own = fields.filter(({ operation }) => operation === sighting.exchanged.operation);
      for (const field of own) yield* judgeField(field, order, sighting, payment);
    }
  }
}

function* judgeField(
  field: OnChainField,
  order: Entity,
  { record, view }: Sighting,
  payment: KnownPayment | undefined,
): Iterable<Judgement> {
  const network = networkOf(order, view, payment);
  const shown = textAt(view, ...field.path);
  // A text that is empty or none is a fault of the view's fields.
  if (!network || !shown) return;
  const { words, fits } = field.forms[network.addressFamily];
  const vouched = field.vouched && payment?.detail[field.vouched];
  // A simulated chain whose driver writes in another way has no such form.
  if (vouched !== undefined && !fits(vouched)) return;
  const rule = ruleId(field);
  if (fits(shown)) return yield { rule, records: [record] };
  const name = `data.${field.path.join('.')}`;
  yield {
    rule,
    records: [record],
    fault: {
      expected: `${name} is ${field.noun} of ${show(network.code)}: ${words}`,
      actual: `${name} = ${show(shown)}`,
    },
  };
}

/**
 * The network of an order. That of a hosted order is the network of its payment, where it was paid on chain: what is shown of a payment
 * from an exchange is left open (open point `exchange-payment-detail`).
 */
export function networkOf(order: Entity, view: object, payment: KnownPayment | undefined): Network | undefined {
  if (order.area === 'checkout') {
    const code = givenAs(order, 'network') ?? textAt(view, 'network');
    return networks.find((each) => each.code === code);
  }
  if (payment?.onChain !== true) return undefined;
  const { network: code } = payment.detail;
  const name = textAt(view, 'cryptoPaymentDetail', 'network');
  return networks.find((each) => (code === undefined ? each.hostedName === name : each.code === code));
}
