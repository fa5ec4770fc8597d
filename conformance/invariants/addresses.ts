import { networks } from '../../generated/catalogue.ts';
import { show } from '../contract/show.ts';
import { addressForms } from './address-forms.ts';
import { type Book, textAt } from './book.ts';
import type { Invariant, InvariantRule, Judgement } from './invariant.ts';
import { givenAs } from './money/paid.ts';

/** The operations whose views show where to pay. */
const operations = ['checkout.create', 'checkout.query'];

const ruleId = (operation: string) => `${operation}.addresses.deposit`;

const rules: readonly InvariantRule[] = operations.map((operation) => ({
  id: ruleId(operation),
  title: `Every depositAddress in a success of ${operation} has the form of the network that the order is for`,
  requirements: ['checkout.view.deposit-address.form'],
}));

/** A wallet can send to the addresses that views show. */
export const addresses: Invariant = { name: 'addresses', rules, judge };

function* judge(book: Book): Iterable<Judgement> {
  for (const order of book.entities) {
    if (order.area !== 'checkout') continue;
    for (const { exchanged, record, view } of order.sightings) {
      const network = givenAs(order, 'network') ?? textAt(view, 'network');
      const family = networks.find(({ code }) => code === network)?.addressFamily;
      const address = textAt(view, 'depositAddress');
      // An address that is empty or no text is a fault of the view's fields.
      if (!family || !address) continue;
      const rule = ruleId(exchanged.operation);
      const { words, fits } = addressForms[family];
      yield fits(address)
        ? { rule, records: [record] }
        : {
            rule,
            records: [record],
            fault: {
              expected: `data.depositAddress is an address of ${show(network)}: ${words}`,
              actual: `data.depositAddress = ${show(address)}`,
            },
          };
    }
  }
}
