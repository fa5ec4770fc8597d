import express, { type Express } from 'express';
import type { Constraint } from '../generated/catalogue.ts';
import type { CheckoutOrderCreateRequest, OrderCreateRequest } from './domain/order.ts';
import type { RefundCreateRequest } from './domain/refund.ts';
import { checkoutArea } from './http/areas/checkout.ts';
import { ordersArea } from './http/areas/orders.ts';
import { refundsArea } from './http/areas/refunds.ts';
import type { ContractDocument } from './http/contract-validation.ts';
import { merchantApi } from './http/merchant-api.ts';
import { sandboxRoutes } from './http/sandbox-routes.ts';
import { announcements } from './services/announcements.ts';
import { checkoutOrderService } from './services/checkout-orders.ts';
import { deliveryWorker, type Send } from './services/deliver.ts';
import { moveDue } from './services/due-work.ts';
import { createMoves, type States } from './services/moves.ts';
import { orderService } from './services/orders.ts';
import type { Clock, Ids, Storage } from './services/ports.ts';
import { rateLimiter } from './services/rate-limiter.ts';
import { refundService } from './services/refunds.ts';
import type { RequestRule } from './services/rules.ts';
import { sandbox } from './services/sandbox.ts';
import { wakingStorage } from './services/wake-on-delivery.ts';
import { webhookHeaders } from './webhooks/signing.ts';

/** Everything that the server is made of; each part can be replaced from outside. */
export interface AppParts {
  /** The bundled contract, against which requests are held. */
  contract: ContractDocument;
  /** The contract's constraints on requests, with their requirements. */
  constraints: readonly Constraint[];
  /** Whether answers are held against the contract too. */
  validateResponses: boolean;
  states: States;
  rules: {
    createOrder: readonly RequestRule<OrderCreateRequest>[];
    createCheckoutOrder: readonly RequestRule<CheckoutOrderCreateRequest>[];
    createRefund: readonly RequestRule<RefundCreateRequest>[];
  };
  storage: Storage;
  clock: Clock;
  ids: Ids;
  /** Whether a refusal says what is wrong about a signature; for sandboxes. */
  explainSignatures: boolean;
  /** Posts a webhook. */
  send: Send;
  /** Address under which this server is reached, without a closing slash. */
  publicUrl: string;
  /** The control API's token and this server's name and version; absent: there is no control API. */
  control?: { token: string; implementation: string };
  /** Receives what went wrong inside; never a secret. */
  log: (message: string, error: unknown) => void;
}

/** The server put together. */
export interface App {
  /** Answers requests. */
  handler: Express;
  /** Does what time has made due to orders and refunds. */
  moveDue(): Promise<void>;
  /** Sends webhooks. */
  deliveries: ReturnType<typeof deliveryWorker>;
}

/** Puts the parts together. The only place that knows all of them. */
export function createApp(parts: AppParts): App {
  const { states, rules, clock, ids, send, publicUrl, control, log } = parts;
  const checkoutUrl = `${publicUrl}/checkout`;
  const deliveries = deliveryWorker({ storage: parts.storage, clock, send, headersOf: webhookHeaders, log });
  const storage = wakingStorage(parts.storage, deliveries.wake);
  const moves = createMoves({ states, announcements: announcements({ ids, checkoutUrl }) });
  const common = { storage, clock, ids, moves };

  const orders = orderService({ ...common, machine: states.orders, rules: rules.createOrder });
  const checkoutOrders = checkoutOrderService({
    ...common,
    machine: states.checkout,
    rules: rules.createCheckoutOrder,
  });
  const refunds = refundService({ ...common, machine: states.refunds, rules: rules.createRefund });
  const areas = [
    ordersArea({ orders, checkoutUrl }),
    refundsArea({ refunds, rateLimiter: rateLimiter(clock), clock }),
    checkoutArea({ checkoutOrders }),
  ];

  const handler = express();
  handler.disable('x-powered-by');
  handler.set('etag', false);
  if (control) {
    const { token, implementation } = control;
    handler.use('/sandbox/v1', sandboxRoutes({ sandbox: sandbox(common), controlToken: token, implementation, log }));
  }
  handler.use(merchantApi({ ...parts, areas }));
  handler.use((request, response) => {
    response.status(404).json({ message: `there is nothing at ${request.method} ${request.path}` });
  });
  return { handler, moveDue: () => moveDue({ storage, clock, moves }), deliveries };
}
