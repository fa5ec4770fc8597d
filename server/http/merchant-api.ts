import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Response, Router } from 'express';
import { error as openApiError } from 'express-openapi-validator';
import type { Constraint } from '../../generated/catalogue.ts';
import type { OrderCreateRequest } from '../domain/order.ts';
import type { OrderService } from '../services/orders.ts';
import type { Clock, Storage } from '../services/ports.ts';
import { Refusal } from '../services/refusal.ts';
import { authenticate } from './authentication.ts';
import { type ContractDocument, contractValidation, refusalOf } from './contract-validation.ts';
import { parseJsonBody } from './json-body.ts';
import { orderView, success } from './order-view.ts';
import { orderFailure } from './orders-area.ts';
import { decodeSegment, splitTarget } from './request-target.ts';

export interface MerchantApiParts {
  contract: ContractDocument;
  constraints: readonly Constraint[];
  validateResponses: boolean;
  storage: Storage;
  clock: Clock;
  orders: OrderService;
  /** Address under which order ids are checkout pages, without a closing slash. */
  checkoutUrl: string;
  log: (message: string, error: unknown) => void;
}

const noOperation = 'path: there is no such operation; see the paths of the contract';

/** More than any request of the contract needs. */
const largestBody = '1mb';

/** Hosted order operations: the merchant's id, and what follows `orders/` where something does. */
const areaPath = /^\/api\/v1\/merchants\/([^/]+)\/orders(?:\/(.*))?$/;

/**
 * The merchant contract's operations. A request passes: its bytes, its signature, JSON, the contract, its handler; whatever
 * refuses it, the answer is its area's envelope.
 */
export function merchantApi(parts: MerchantApiParts): Router {
  const { contract, constraints, validateResponses, storage, clock, orders, checkoutUrl } = parts;
  const router = Router({ caseSensitive: true, strict: true });

  router.use((request, _response, next) => {
    next(areaPath.test(splitTarget(request.originalUrl).path) ? undefined : 'router');
  });
  router.use(express.raw({ type: () => true, inflate: false, limit: largestBody }));
  router.use(authentication(storage, clock));
  router.use((request, _response, next) => {
    request.body = parseJsonBody(bytesOf(request));
    next();
  });
  router.use(contractValidation({ contract, constraints, validateResponses }));

  router.post(
    '/api/v1/merchants/:merchantId/orders',
    async (request: Request<unknown, unknown, OrderCreateRequest>, response: Response) => {
      const order = await orders.create(response.locals.merchant, request.body);
      response.json({ ...success, data: orderView(order, checkoutUrl) });
    },
  );
  router.get(
    '/api/v1/merchants/:merchantId/orders/:merchantOrderId',
    async (request: Request<{ merchantOrderId: string }>, response: Response) => {
      const order = await orders.query(response.locals.merchant, request.params.merchantOrderId);
      response.json({ ...success, data: orderView(order, checkoutUrl) });
    },
  );
  router.use(() => {
    throw new Refusal('invalid-parameter', noOperation);
  });
  router.use(refusalHandler(parts));
  return router;
}

/** Finds out whose request it is, from the bytes that came; the merchant is then in `response.locals`. */
function authentication(storage: Storage, clock: Clock): RequestHandler {
  return async (request, response, next) => {
    const target = splitTarget(request.originalUrl);
    const merchantId = decodeSegment(areaPath.exec(target.path)?.[1] ?? '');
    const { method, headers } = request;
    const presented = { ...target, method, headers, merchantId, body: bytesOf(request) };
    response.locals.merchant = await authenticate(presented, { storage, clock });
    next();
  };
}

/** Answers every error in the envelope of the area that the path belongs to. */
function refusalHandler({ constraints, log }: MerchantApiParts): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    if (response.headersSent) return next(error);
    if (error instanceof openApiError.InternalServerError) {
      // The answer that was about to be sent breaks the contract: a fault of ours, never to be sent as if it were right.
      log('an answer breaks the contract', error);
      response.status(500).type('text').send(`the server's answer breaks the contract: ${error.message}`);
      return;
    }
    const refusal =
      refusalOf(error, request, constraints) ?? requestRefusal(error, request) ?? systemRefusal(error, log);
    const { path } = splitTarget(request.originalUrl);
    const [, merchantId = '', pathOrderId] = areaPath.exec(path) ?? [];
    const merchantOrderId = pathOrderId === undefined ? bodyOrderId(request.body) : decodeSegment(pathOrderId);
    response.json(orderFailure(refusal, { merchantId: decodeSegment(merchantId), merchantOrderId }));
  };
}

/** A refusal for what is wrong about a request before the contract's rules are looked at. */
function requestRefusal(error: unknown, request: Request): Refusal | undefined {
  if (error instanceof Refusal) return error;
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number') return undefined;
  if (error.status >= 500) return undefined;
  const message: Record<number, string> = {
    404: noOperation,
    405: `method: ${request.method} is no method of this path`,
    413: `body: is larger than ${largestBody}; send less`,
    415: 'Content-Type: must be application/json, and the body must not be compressed',
  };
  return new Refusal('invalid-parameter', message[error.status] ?? `request: ${error.message}`);
}

function systemRefusal(error: unknown, log: MerchantApiParts['log']): Refusal {
  log('a request failed', error);
  return new Refusal('system-error', 'the service failed; wait a moment, then query before you send it again');
}

function bytesOf(request: Request): Buffer {
  return Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
}

function bodyOrderId(body: unknown): string | null {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, 'merchantOrderId')) return null;
  const id: unknown = Reflect.get(body, 'merchantOrderId');
  return typeof id === 'string' ? id : null;
}
