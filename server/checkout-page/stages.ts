import type { Request } from 'express';
import { type NetworkCode, networks } from '../../generated/catalogue.ts';
import { type Exchange, exchanges } from './method-rule.ts';

/** What the customer has chosen so far; the page's address says it. */
export type Choice =
  | { at: 'start' }
  | { at: 'cancelled' }
  | { at: 'network'; network: NetworkCode }
  | { at: 'exchange'; exchange: Exchange; signedIn: boolean };

/** A step of the customer's way: its path below the order's page, and the choice that a request for it stands for. */
export interface Step {
  path: string;
  /** `undefined` for a method that there is not. */
  choice(request: Request): Choice | undefined;
}

/** In the browser while the customer is signed in at a simulated exchange; sent to that exchange's pages of that order. */
export const signedIn = { cookie: 'signed-in', as: 'test-customer' };

const signedInCookie = new RegExp(`(?:^|; ?)${signedIn.cookie}=${signedIn.as}(?:;|$)`);

/** An exchange's own pages. */
export const exchangeStep: Step = {
  path: '/exchange/:exchange',
  choice: ({ params, headers }) => {
    const exchange = exchanges.find(({ code }) => code === params.exchange);
    return exchange && { at: 'exchange', exchange, signedIn: signedInCookie.test(headers.cookie ?? '') };
  },
};

/** Every step. */
export const steps: readonly Step[] = [
  { path: '', choice: () => ({ at: 'start' }) },
  { path: '/cancelled', choice: () => ({ at: 'cancelled' }) },
  {
    path: '/on-chain/:network',
    choice: ({ params }) => {
      const network = networks.find(({ code }) => code === params.network)?.code;
      return network && { at: 'network', network };
    },
  },
  exchangeStep,
];

/** Path of the step at a choice. `orderPath`: that of the order's page. */
export function stepPath(choice: Choice, orderPath: string): string {
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
