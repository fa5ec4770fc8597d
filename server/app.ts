import express, { type ErrorRequestHandler, type Express } from 'express';
import type { Choices, Constraint } from '../generated/catalogue.ts';
import { contract as controlContract } from '../generated/sandbox-control-contract.ts';
import { retryDelays } from './domain/delivery.ts';
import type { CheckoutOrderCreateRequest, OrderCreateRequest } from './domain/order.ts';
import type { RefundCreateRequest } from './domain/refund.ts';
import { chosenCheckoutMachine } from './domain/states.ts';
import { checkoutArea } from './http/areas/checkout.ts';
import { ordersArea } from './http/areas/orders.ts';
import { refundsArea } from './http/areas/refunds.ts';
import type { ContractDocument } from './http/contract-document.ts';
import { controlApi } from './http/control-api.ts';
import { merchantApi } from './http/merchant-api.ts';
import { onFirstUse } from './http/on-first-use.ts';
import { answerInJson, contextOf, withContext } from './http/request-context.ts';
import { routeTable } from './http/route-table.ts';
import { sandboxGuard } from './http/sandbox-guard.ts';
import { unconditional } from './http/unconditional.ts';
import { healthRoutes } from './runtime/health.ts';
import type { FailureLog } from './runtime/logger.ts';
import { type Observer, observeRequests } from './runtime/observe-requests.ts';
import { sandbox } from './services/control/sandbox.ts';
import { announcements } from './services/delivery/announcements.ts';
import { deliveryWorker, type Send } from './services/delivery/deliver.ts';
import { wakingStorage } from './services/delivery/wake-on-delivery.ts';
import { checkoutOrderService } from './services/orders/checkout-orders.ts';
import { moveDue } from './services/orders/due-work.ts';
import { createMoves, type States } from './services/orders/moves.ts';
import { orderService } from './services/orders/orders.ts';
import { refundService } from './services/orders/refunds.ts';
import type { RequestRule } from './services/orders/rules.ts';
import type { Clock, Ids, Storage } from './services/ports.ts';
import { rateLimiter } from './services/rate-limiter.ts';
import { webhookHeaders } from './signing/webhook-signature.ts';
import { createViews } from './views/index.ts';

/** The path with which the paths of the control API begin. */
export const controlBase = '/sandbox/v1';

/** The parts of the server. Each can be replaced from outside. */
export interface AppParts {
  /** The bundled contract, by which requests are validated. */
  contract: ContractDocument;
  /** The contract's constraints on requests, with their requirements. */
  constraints: readonly Constraint[];
  /** Whether answers are validated too. */
  validateResponses: boolean;
  states: States;
  /** The server's behaviour at the open points of the contract. */
  choices: Choices;
  rules: {
    createOrder: readonly RequestRule<OrderCreateRequest>[];
    createCheckoutOrder: readonly RequestRule<CheckoutOrderCreateRequest>[];
    createRefund: readonly RequestRule<RefundCreateRequest>[];
  };
  storage: Storage;
  clock: Clock;
  ids: Ids;
  /** Whether a refusal explains what is wrong with a signature; for sandboxes. */
  explainSignatures: boolean;
  /** Whether payments, once detected, and refunds of automatic merchants move on by themselves; for sandboxes. */
  simulates: boolean;
  /** Posts a webhook. */
  send: Send;
  /** Address under which this server is reached, without a closing slash. */
  publicUrl: string;
  /** The control API's token, this server's name and version, and how it is ended without warning, if it can be; absent: there is no control API. */
  control?: { token: string; implementation: string; restart?: () => void };
  /** Receives failures of the server itself; never a secret. */
  log: FailureLog;
  /** Hears of every request and of every attempt to deliver a webhook. */
  observer: Observer;
}

/** The assembled server. */
export interface App {
  /** Answers requests. */
  handler: Express;
  /** Makes the changes of orders and refunds that are due. */
  moveDue(): Promise<void>;
  /** Sends webhooks. */
  deliveries: ReturnType<typeof deliveryWorker>;
}

/** Assembles the server. This is the only place that knows all of its parts. */
export function createApp(parts: AppParts): App {
  const { choices, rules, clock, ids, publicUrl, contract, control, simulates, log, observer } = parts;
  const states = {
    ...parts.states,
    checkout: chosenCheckoutMachine(parts.states.checkout, choices['checkout-transitions']),
  };
  const checkoutUrl = `${publicUrl}/checkout`;
  const views = createViews({ checkoutUrl, choices });
  const send: Send = async (webhook) => {
    const result = await parts.send(webhook);
    observer.webhookAttempted(result);
    return result;
  };
  const deliveries = deliveryWorker({
    storage: parts.storage,
    clock,
    send,
    headersOf: webhookHeaders[choices['webhook-signature']],
    retryDelays: retryDelays[choices['webhook-retry']],
    log,
  });
  const storage = wakingStorage(parts.storage, deliveries.wake);
  const moves = createMoves({ states, announcements: announcements({ ids, views, choices }), choices, simulates });
  const common = { storage, clock, ids, moves, choices };

  const orders = orderService({ ...common, machine: states.orders, rules: rules.createOrder });
  const checkoutOrders = checkoutOrderService({
    ...common,
    machine: states.checkout,
    rules: rules.createCheckoutOrder,
  });
  const refunds = refundService({ ...common, machine: states.refunds, rules: rules.createRefund });
  const orderLimiter = rateLimiter(clock, 'requests about orders');
  const refundLimiter = rateLimiter(clock, 'refund requests');
  const areas = [
    ordersArea({ orders, view: views.order, rateLimiter: orderLimiter, choices }),
    refundsArea({ refunds, view: views.refund, rateLimiter: refundLimiter, clock, choices }),
    checkoutArea({ checkoutOrders, views: views.checkout, rateLimiter: orderLimiter, choices }),
  ];
  const findRoute = routeTable([
    { document: contract, base: '' },
    ...(control ? [{ document: controlContract, base: controlBase, area: 'control', isLenient: true }] : []),
  ]);

  const handler = express();
  handler.disable('x-powered-by');
  handler.set('etag', false);
  answerInJson(handler);
  handler.use('/health', healthRoutes(parts.storage));
  handler.use(withContext(findRoute), observeRequests(observer.requestAnswered));
  if (control) handler.use(sandboxGuard(publicUrl));
  handler.use(unconditional());
  const simulator = control && sandbox({ ...common, startDeliveries: () => deliveries.run().catch(() => undefined) });
  if (control && simulator) {
    const { token, ...introduced } = control;
    handler.use(controlBase, controlApi({ sandbox: simulator, controlToken: token, ...introduced, log }));
  }
  handler.use(merchantApi({ ...parts, areas }));
  handler.use(
    '/checkout',
    onFirstUse(async () => {
      const { checkoutPages } = await import('./checkout-page/routes.ts');
      return checkoutPages({
        orders,
        detailOf: views.payment,
        ...(simulator && { simulator }),
        rateLimiter: rateLimiter(clock, 'forms'),
        checkoutUrl,
        log,
      });
    }),
  );
  handler.use((request, response) => {
    response.status(404).json({ message: `there is nothing at ${request.method} ${request.path}` });
  });
  handler.use(lastResort(log));
  return { handler, moveDue: () => moveDue({ storage, clock, moves }), deliveries };
}

/** Answers the errors that no area answers. Express would write them to the console. */
function lastResort(log: FailureLog): ErrorRequestHandler {
  return (error: unknown, request, response, _next) => {
    log('a request failed', error, { requestId: contextOf(request).requestId });
    if (response.headersSent) response.destroy();
    else response.status(500).json({ message: 'the server failed; its log says why' });
  };
}
