import type { Request } from 'express';
import type { OpenedCheckout, OrderService } from '../services/orders/orders.ts';
import { nothingHere } from './problems.ts';
import { type PageFacts, type PageView, pageView } from './view/page-view.ts';
import type { Choice } from './view/stages.ts';

/** An order that a request is about, with its page. */
export interface OrderPage extends OpenedCheckout {
  /** Path of the order's own page. */
  path: string;
  /** What the page shows at a choice; `undefined` when that is not open. */
  at(choice: Choice | undefined): PageView | undefined;
}

/** Opens the order that stands in a request's path; rejects with a problem when there is none. `base`: path of all pages. */
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
