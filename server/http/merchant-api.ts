import express, { type ErrorRequestHandler, type Request, type RequestHandler, Router } from 'express';
import { error as openApiError } from 'express-openapi-validator';
import type { Constraint } from '../../generated/catalogue.ts';
import type { Clock, Storage } from '../services/ports.ts';
import { Refusal } from '../services/refusal.ts';
import type { Area } from './areas/area.ts';
import { authenticate } from './authentication.ts';
import { type ContractDocument, contractValidation, refusalOf } from './contract-validation.ts';
import { parseJsonBody } from './json-body.ts';
import { decodeSegment, splitTarget } from './request-target.ts';

export interface MerchantApiParts {
  contract: ContractDocument;
  constraints: readonly Constraint[];
  validateResponses: boolean;
  storage: Storage;
  clock: Clock;
  areas: readonly Area[];
  /** Whether a refusal says what is wrong about a signature; for sandboxes. */
  explainSignatures: boolean;
  log: (message: string, error: unknown, context: { requestId: string }) => void;
}

const noOperation = 'path: there is no such operation; see the paths of the contract';

/** More than any request of the contract needs. */
const largestBody = '1mb';

/** A path of the contract: the merchant, the area, and what follows it. */
const contractPath = /^\/api\/v1\/merchants\/([^/]+)\/([^/]+)(?:\/(.*))?$/;

/**
 * The merchant contract's operations. A request passes: its bytes, its signature, JSON, the contract, its handler; whatever
 * refuses it, the answer is its area's envelope.
 */
export function merchantApi(parts: MerchantApiParts): Router {
  const { contract, constraints, validateResponses, areas } = parts;
  const router = Router({ caseSensitive: true, strict: true });

  router.use((request, _response, next) => {
    next(placeOf(request, areas) ? undefined : 'router');
  });
  router.use(express.raw({ type: () => true, inflate: false, limit: largestBody }));
  router.use(authentication(parts));
  router.use((request, _response, next) => {
    request.body = parseJsonBody(bytesOf(request));
    next();
  });
  router.use(contractValidation({ contract, constraints, validateResponses }));
  for (const area of areas) area.addRoutes(router);
  router.use(() => {
    throw new Refusal('invalid-parameter', noOperation);
  });
  router.use(refusalHandler(parts));
  return router;
}

/** Which area a request belongs to, for which merchant, and what follows; `undefined` outside of all areas. */
function placeOf(request: Request, areas: readonly Area[]) {
  const target = splitTarget(request.originalUrl);
  const [, merchant = '', segment, rest] = contractPath.exec(target.path) ?? [];
  const area = areas.find((each) => each.segment === segment);
  return area && { area, target, merchantId: decodeSegment(merchant), rest };
}

/** Finds out whose request it is, from the bytes that came; the merchant is then in `response.locals`. */
function authentication({ storage, clock, areas, explainSignatures }: MerchantApiParts): RequestHandler {
  return async (request, response, next) => {
    const place = placeOf(request, areas);
    if (!place) throw new Refusal('invalid-parameter', noOperation);
    const { area, target, merchantId } = place;
    const { method, headers } = request;
    const presented = { ...target, method, headers, merchantId, body: bytesOf(request) };
    const merchant = await authenticate(presented, { storage, clock, explainSignatures, apiKey: area.apiKey });
    area.admit(merchant);
    response.locals.merchant = merchant;
    next();
  };
}

/** Answers every error in the envelope of the area that the path belongs to. */
function refusalHandler({ constraints, areas, log }: MerchantApiParts): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    const place = placeOf(request, areas);
    if (response.headersSent || !place) return next(error);
    const { requestId } = response.locals;
    if (error instanceof openApiError.InternalServerError) {
      // The answer that was about to be sent breaks the contract: a fault of ours, never to be sent as if it were right.
      log('an answer breaks the contract', error, { requestId });
      response.status(500).type('text').send(`the server's answer breaks the contract: ${error.message}`);
      return;
    }
    const known = refusalOf(error, request, constraints) ?? requestRefusal(error, request);
    if (!known) log('a request failed', error, { requestId });
    const refusal = known ?? systemRefusal();
    const { area, merchantId, rest } = place;
    const { status, headers = {}, body } = area.refuse(refusal, { requestId, merchantId, rest, body: request.body });
    response.status(status).set(headers).json(body);
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

function systemRefusal(): Refusal {
  return new Refusal('system-error', 'the service failed; wait a moment, then query before you send it again');
}

function bytesOf(request: Request): Buffer {
  return Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
}
