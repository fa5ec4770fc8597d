import type { Request } from 'express';
import { type NetworkCode, networks } from '../../../generated/catalogue.ts';
import { type Exchange, exchanges } from './method-rule.ts';

/** The customer's choices so far, as given by the page's address. */
export type Choice =
  | { at: 'start' }
  | { at: 'cancelled' }
  | { at: 'network'; network: NetworkCode }
  | { at: 'exchange'; exchange: Exchange; signedIn: boolean };

/** A stage of the checkout: its path below the order's page, and the choice that a request for it expresses. */
export interface Stage {
  path: string;
  /** `undefined` for a method that does not exist. */
  choice(request: Request): Choice | undefined;
}

/**
 * The cookie of a customer signed in at a simulated exchange. The browser sends it to that exchange's pages of that
 * order.
 */
export const signedIn = { cookie: 'signed-in', as: 'test-customer' };

const signedInCookie = new RegExp(`(?:^|; ?)${signedIn.cookie}=${signedIn.as}(?:;|$)`);

/** The pages of an exchange. */
export const exchangeStage: Stage = {
  path: '/exchange/:exchange',
  choice: ({ params, headers }) => {
    const exchange = exchanges.find(({ code }) => code === params.exchange);
    return exchange && { at: 'exchange', exchange, signedIn: signedInCookie.test(headers.cookie ?? '') };
  },
};

/** Every stage. */
export const stages: readonly Stage[] = [
  { path: '', choice: () => ({ at: 'start' }) },
  { path: '/cancelled', choice: () => ({ at: 'cancelled' }) },
  {
    path: '/on-chain/:network',
    choice: ({ params }) => {
      const network = networks.find(({ code }) => code === params.network)?.code;
      return network && { at: 'network', network };
    },
  },
  exchangeStage,
];

/** The path of the stage at a choice. `orderPath` is the path of the order's page. */
export function stagePath(choice: Choice, orderPath: string): string {
  switch (choice.at) {
    case 'start':
      return orderPath;
    case 'cancelled':
      return `${orderPath}/cancelled`;
    case 'network':
      return `${orderPath}/on-chain/${choice.network}`;
    case 'exchange':
      return `${orderPath}/exchange/${choice.exchange.code}`;
  }
}
