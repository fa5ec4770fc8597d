import express, { type Express } from 'express';
import type { Constraint } from '../generated/catalogue.ts';
import type { OrderCreateRequest, OrderMachine } from './domain/order.ts';
import type { ContractDocument } from './http/contract-validation.ts';
import { merchantApi } from './http/merchant-api.ts';
import { sandboxRoutes } from './http/sandbox-routes.ts';
import { orderService } from './services/orders.ts';
import type { Clock, Ids, Storage } from './services/ports.ts';
import type { RequestRule } from './services/rules.ts';
import { sandbox } from './services/sandbox.ts';

/** Everything that the server is made of; each part can be replaced from outside. */
export interface AppParts {
  /** The bundled contract, against which requests are held. */
  contract: ContractDocument;
  /** The contract's constraints on requests, with their requirements. */
  constraints: readonly Constraint[];
  /** Whether answers are held against the contract too. */
  validateResponses: boolean;
  states: { orders: OrderMachine };
  rules: { createOrder: readonly RequestRule<OrderCreateRequest>[] };
  storage: Storage;
  clock: Clock;
  ids: Ids;
  /** Address under which this server is reached, without a closing slash. */
  publicUrl: string;
  /** The control API's token and this server's name and version; absent: there is no control API. */
  control?: { token: string; implementation: string };
  /** Receives what went wrong inside; never a secret. */
  log: (message: string, error: unknown) => void;
}

/** Puts the parts together. The only place that knows all of them. */
export function createApp(parts: AppParts): Express {
  const { contract, constraints, validateResponses, states, rules, storage, clock, ids, publicUrl, control, log } =
    parts;
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);

  const orders = orderService({ storage, clock, ids, machine: states.orders, rules: rules.createOrder });
  const checkoutUrl = `${publicUrl}/checkout`;
  if (control) {
    const { token, implementation } = control;
    const controls = sandbox({ storage, clock, ids, machine: states.orders });
    app.use('/sandbox/v1', sandboxRoutes({ sandbox: controls, controlToken: token, implementation, log }));
  }
  app.use(merchantApi({ contract, constraints, validateResponses, storage, clock, orders, checkoutUrl, log }));
  app.use((request, response) => {
    response.status(404).json({ message: `there is nothing at ${request.method} ${request.path}` });
  });
  return app;
}
