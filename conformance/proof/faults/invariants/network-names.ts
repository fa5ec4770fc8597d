import type { JsonObject } from '../../../contract/json.ts';
import { isObject } from '../../../contract/json.ts';
import { changing } from '../../stand/changes.ts';
import type { Fault } from '../../stand/fault.ts';
import { idOf } from './feeds.ts';
import { showingViews } from './presence.ts';

/** Names Polygon as Ethereum, of which it is a copy in many tables. */
const named = (view: JsonObject): JsonObject =>
  view.network === 'polygon' ? { ...view, networkDisplayName: 'Ethereum (ERC20)' } : view;

const namedInList = (data: JsonObject): JsonObject => ({
  ...data,
  paymentMethods: [data.paymentMethods].flat().map((method) => (isObject(method) ? named(method) : method)),
});

const displayNames: readonly Fault[] = [
  ['checkout.payment-methods', namedInList] as const,
  ['checkout.create', named] as const,
  ['checkout.query', named] as const,
].map(([operation, change]) => ({
  id: `${idOf(operation)}-name-of-another-network`,
  title: `Shows the display name of Ethereum for Polygon in ${operation}.`,
  breaks: 'checkout.network-display-name',
  caughtBy: `${operation}.network-names.own`,
  feeds: ['checkout.situations.paid'],
  make: { merchantApi: showingViews(operation, change) },
}));

/** Wrong servers that the invariant `network-names` must find. */
export const networkNameFaults: readonly Fault[] = [
  ...displayNames,
  {
    id: 'orders-query-name-of-another-network',
    title: 'Shows payments over the networks that settle on Ethereum as payments over it.',
    breaks: 'orders.view.payment-detail',
    caughtBy: 'orders.query.network-names.own',
    feeds: ['orders.situations.paid-on-chain'],
    make: {
      merchantApi: showingViews(
        'orders.query',
        changing('cryptoPaymentDetail.network', (name) =>
          ['ARBITRUM', 'OPTIMISM', 'BASE'].includes(String(name)) ? 'ETHEREUM' : name,
        ),
      ),
    },
  },
];
