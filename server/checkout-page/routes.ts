import { extname } from 'node:path';
import { Router } from 'express';
import { packageFile } from '../../generated/package-file.ts';
import type { OrderService } from '../services/orders/orders.ts';
import type { RateLimiter } from '../services/rate-limiter.ts';
import { customerSession } from './customer-session.ts';
import { formRoutes, type Simulator } from './forms.ts';
import { orderPages } from './order-page.ts';
import { pageHeaders } from './page-headers.ts';
import { nothingHere, problemHandler } from './problems.ts';
import { checkoutPage } from './templates/page.ts';
import type { PageFacts } from './view/page-view.ts';
import { stages } from './view/stages.ts';

/** The files that the pages load. */
const assetNames = ['checkout.css', 'checkout.js', 'icon.svg'] as const;

/**
 * The pages behind an order's `checkoutUrl`. A page depends only on the order, its own address and the customer's
 * browser, so it can be reloaded, opened twice, and served by another instance.
 * `detailOf`: the details of a payment that are shown. `checkoutUrl`: the address under which order ids are pages,
 * without a closing slash. `simulator`: pays orders and moves time; absent in production, where nothing is simulated.
 * `rateLimiter`: counts forms.
 */
export function checkoutPages(parts: {
  orders: Pick<OrderService, 'openCheckout'>;
  detailOf: PageFacts['detailOf'];
  simulator?: Simulator;
  rateLimiter: RateLimiter;
  checkoutUrl: string;
  log: (message: string, error: unknown, context: { requestId: string }) => void;
}): Router {
  const { orders, detailOf, simulator, rateLimiter, checkoutUrl, log } = parts;
  const { protocol, pathname: base } = new URL(checkoutUrl);
  const secure = protocol === 'https:';
  const assets = `${base}/assets`;
  const session = customerSession({ secure });
  const open = orderPages({ orders, detailOf, base, sandbox: simulator !== undefined });

  const router = Router({ caseSensitive: true });
  router.use(pageHeaders);
  for (const name of assetNames) {
    const text = packageFile(`server/checkout-page/assets/${name}`);
    router.get(`/assets/${name}`, (_request, response) => {
      response.type(extname(name)).set('Cache-Control', 'no-cache').send(text);
    });
  }
  for (const { path, choice } of stages) {
    router.get(`/:orderId${path}`, async (request, response) => {
      const page = await open(request);
      const view = page.at(choice(request));
      if (!view) return response.redirect(303, page.path);
      const token = simulator && session.formToken(request, response, page.order.orderId);
      response.type('html').send(checkoutPage(view, { assets, ...(token !== undefined && { token }) }));
    });
  }
  if (simulator) router.use(formRoutes({ simulator, session, rateLimiter, open, secure }));
  router.use(() => {
    throw nothingHere();
  });
  router.use(problemHandler(assets, log));
  return router;
}
