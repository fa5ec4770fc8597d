import { networks } from '../../generated/catalogue.ts';
import { isObject, valueAt } from '../contract/json.ts';
import { show } from '../contract/show.ts';
import type { RequestRecord } from '../history/records.ts';
import { networkOf } from './addresses.ts';
import { type Book, type Entity, type Exchanged, textAt } from './book.ts';
import type { Fault, Invariant, InvariantRule, Judgement } from './invariant.ts';
import { paymentOf } from './money/paid.ts';

const list = 'checkout.payment-methods';

/** The operations that name networks, and where they do. */
const namings: Readonly<Record<string, { field: string; requirement: InvariantRule['requirements'][0] }>> = {
  [list]: { field: 'networkDisplayName', requirement: 'checkout.network-display-name' },
  'checkout.create': { field: 'networkDisplayName', requirement: 'checkout.network-display-name' },
  'checkout.query': { field: 'networkDisplayName', requirement: 'checkout.network-display-name' },
  'orders.query': { field: 'cryptoPaymentDetail.network', requirement: 'orders.view.payment-detail' },
};

const ownRule = (operation: string) => `${operation}.network-names.own`;
const sameRule = (operation: string) => `${operation}.network-names.same`;

const rules: readonly InvariantRule[] = Object.entries(namings).flatMap(([operation, { field, requirement }]) => [
  {
    id: ownRule(operation),
    title: `No ${field} in a success of ${operation} is shown for another network too`,
    requirements: [requirement] as const,
  },
  {
    id: sameRule(operation),
    title: `Every success of ${operation} shows the same ${field} for a network`,
    requirements: [requirement] as const,
  },
]);

/**
 * A name that people read stands for one network, and a network has one name: who sends money by a name that another network has as well may send it
 * there.
 */
export const networkNames: Invariant = { name: 'network-names', rules, judge };

/** A network as an answer names it. */
interface Naming {
  operation: string;
  record: RequestRecord;
  /** The code of the network. */
  network: string;
  name: string;
}

function* judge(book: Book): Iterable<Judgement> {
  const firstOfName = new Map<string, Naming>();
  const firstOfNetwork = new Map<string, Naming>();
  for (const naming of namingsIn(book)) {
    const { operation, network, name } = naming;
    const field = namings[operation]?.field ?? '';
    // The two products name networks in their own ways.
    const own = firstOf(firstOfName, `${field} ${name}`, naming);
    yield judgement(
      ownRule(operation),
      own,
      naming,
      own.network !== network && {
        expected: `data.${field} tells networks apart`,
        actual: `${show(name)} is the name of ${show(own.network)} in the answer of ${own.operation}, and of ${show(network)} in that of ${operation}`,
      },
    );
    // Whether a list names networks as orders do is not said.
    const same = firstOf(firstOfNetwork, `${operation} ${network}`, naming);
    yield judgement(
      sameRule(operation),
      same,
      naming,
      same.name !== name && {
        expected: `data.${field} = ${show(same.name)} for ${show(network)}, as in an earlier answer of ${operation}`,
        actual: `data.${field} = ${show(name)}`,
      },
    );
  }
}

/** What is known under a key, or `naming` from now on. */
function firstOf(known: Map<string, Naming>, key: string, naming: Naming): Naming {
  const first = known.get(key) ?? naming;
  known.set(key, first);
  return first;
}

function judgement(rule: string, first: Naming, { record }: Naming, fault: Fault | false): Judgement {
  const records = first.record === record ? [record] : [first.record, record];
  return { rule, records, ...(fault && { fault }) };
}

function* namingsIn(book: Book): Iterable<Naming> {
  for (const exchanged of book.exchanged) if (exchanged.operation === list) yield* listed(exchanged);
  for (const entity of book.entities) if (entity.area !== 'refunds') yield* shownOf(book, entity);
}

function* listed({ accepted, answered, record }: Exchanged): Iterable<Naming> {
  const methods = accepted ? valueAt(answered, ['data', 'paymentMethods']) : undefined;
  for (const method of Array.isArray(methods) ? methods : []) {
    if (!isObject(method)) continue;
    // A code that the contract does not have may be another spelling of one that it has.
    const network = networks.find(({ code }) => code === method.network)?.code;
    const name = textAt(method, 'networkDisplayName');
    if (network !== undefined && name !== undefined) yield { operation: list, record, network, name };
  }
}

function* shownOf(book: Book, order: Entity): Iterable<Naming> {
  const payment = paymentOf(book, order);
  for (const { exchanged, record, view } of order.sightings) {
    const { operation } = exchanged;
    const network = networkOf(order, view, payment)?.code;
    const name = textAt(view, ...(namings[operation]?.field.split('.') ?? []));
    if (network !== undefined && name !== undefined) yield { operation, record, network, name };
  }
}
