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

const inCapitals = (name: unknown) => String(name).toUpperCase();

/** Whether an order is one of about half of all, which its id decides. */
const isOfHalf = ({ orderId }: JsonObject) => /[02468acegikmoqsuwy]$/i.test(String(orderId));

/** Names every network in capitals in every second list. */
function capitalsInTurn(): (data: JsonObject) => JsonObject {
  let lists = 0;
  return (data) => {
    lists += 1;
    if (lists % 2 === 0) return data;
    const methods = [data.paymentMethods].flat();
    return { ...data, paymentMethods: methods.map((each) => (isObject(each) ? displayedInCapitals(each) : each)) };
  };
}

const displayedInCapitals = changing('networkDisplayName', inCapitals);
const ofHalf = (view: JsonObject) => (isOfHalf(view) ? displayedInCapitals(view) : view);

const severalNames: readonly Fault[] = [
  ['checkout.payment-methods', 'in every second list', capitalsInTurn()] as const,
  ['checkout.create', 'of half of the orders', ofHalf] as const,
  ['checkout.query', 'of half of the orders', ofHalf] as const,
].map(([operation, when, change]) => ({
  id: `${idOf(operation)}-several-names-of-a-network`,
  title: `Writes the display name of a network in capitals ${when} in ${operation}.`,
  breaks: 'checkout.network-display-name',
  caughtBy: `${operation}.network-names.same`,
  feeds: ['checkout.situations.paid', 'checkout.payment-methods.list'],
  make: { merchantApi: showingViews(operation, change) },
}));

/** Wrong servers that the invariant `network-names` must find. */
export const networkNameFaults: readonly Fault[] = [
  ...displayNames,
  ...severalNames,
  {
    id: 'orders-query-several-names-of-a-network',
    title: 'Calls Tron TRC20 in orders.query for half of the hosted orders.',
    breaks: 'orders.view.payment-detail',
    caughtBy: 'orders.query.network-names.same',
    feeds: ['orders.situations.paid-on-chain'],
    make: {
      merchantApi: showingViews('orders.query', (view) =>
        isOfHalf(view)
          ? changing('cryptoPaymentDetail.network', (name) => (name === 'TRON' ? 'TRC20' : name))(view)
          : view,
      ),
    },
  },
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
