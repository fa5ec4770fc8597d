import type { Request } from 'express';
import type { OpenedCheckout, OrderService } from '../services/orders/orders.ts';
import { nothingHere } from './problems.ts';
import { type PageFacts, type PageView, pageView } from './view/page-view.ts';
import type { Choice } from './view/stages.ts';

/** The order that a request is about, with its page. */
export interface OrderPage extends OpenedCheckout {
  /** The path of the order's own page. */
  path: string;
  /** Returns the content of the page at a choice; `undefined` when that choice is not open. */
  at(choice: Choice | undefined): PageView | undefined;
}

/**
 * Opens the order named in a request's path. Rejects with a problem when there is none. `base`: the path of all pages.
 */
export function orderPages(parts: {
  orders: Pick<OrderService, 'openCheckout'>;
  detailOf: PageFacts['detailOf'];
  base: string;
  sandbox: boolean;
}): (request: Request) => Promise<OrderPage> {
  const { orders, detailOf, base, sandbox } = parts;
  return async ({ params }) => {
    const opened = await orders.openCheckout(String(params.orderId));
    if (!opened) throw nothingHere();
    const { order, now } = opened;
    const path = `${base}/${order.orderId}`;
    return { ...opened, path, at: (choice) => choice && pageView({ order, now, path, sandbox, detailOf }, choice) };
  };
}
