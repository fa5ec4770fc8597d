import express, { type ErrorRequestHandler, type Request, type RequestHandler, Router } from 'express';
import { error as openApiError } from 'express-openapi-validator';
import type { Choices, Constraint } from '../../generated/catalogue.ts';
import type { Clock, Storage } from '../services/ports.ts';
import { Refusal } from '../services/refusal.ts';
import { decodeSegment, isDecodable, type RequestTarget, splitTarget } from '../signing/request-target.ts';
import type { Area } from './areas/area.ts';
import { authenticate } from './authentication.ts';
import { bodyFields } from './body-fields.ts';
import { chosenConstraints } from './chosen-constraints.ts';
import type { ContractDocument } from './contract-document.ts';
import { contractValidation, refusalOf } from './contract-validation.ts';
import { parseJsonBody, parseJsonBodyWithoutNumbers } from './json-body.ts';
import { lenientBody } from './lenient-body.ts';

export interface MerchantApiParts {
  contract: ContractDocument;
  constraints: readonly Constraint[];
  validateResponses: boolean;
  storage: Storage;
  clock: Clock;
  areas: readonly Area[];
  choices: Choices;
  /** The contract's short name of the operation that a request is for; `undefined` when there is none. */
  operationOf: (method: string, path: string) => string | undefined;
  /** Whether a refusal says what is wrong about a signature; for sandboxes. */
  explainSignatures: boolean;
  log: (message: string, error: unknown, context: { requestId: string }) => void;
}

/** What a request is about, as its path says; in `response.locals.place`. */
interface Place {
  target: RequestTarget;
  merchantId: string;
  /** What follows the area's segment. */
  rest: string | undefined;
}

const noOperation = 'path: there is no such operation; see the paths of the contract';

/** More than any request of the contract needs. */
const largestBody = '1mb';

/** A path of the contract: the merchant, the area, and what follows it. */
const contractPath = /^\/api\/v1\/merchants\/([^/]+)\/([^/]+)(?:\/(.*))?$/;

/** The merchant contract's operations, area by area; other requests go to `next`. */
export function merchantApi(given: MerchantApiParts): RequestHandler {
  const parts = { ...given, constraints: chosenConstraints(given.constraints, given.choices) };
  const areas = new Map(parts.areas.map((area) => [area.segment, onFirstUse(() => areaRouter(area, parts))]));
  return (request, response, next) => {
    const target = splitTarget(request.originalUrl);
    const [, merchant = '', segment = '', rest] = contractPath.exec(target.path) ?? [];
    const routerOf = areas.get(segment);
    if (!routerOf) return next();
    response.locals.place = { target, merchantId: decodeSegment(merchant), rest } satisfies Place;
    routerOf()(request, response, next);
  };
}

/** Makes something when it is first asked for: an area's validator would take a good part of the start. */
function onFirstUse<Made>(make: () => Made): () => Made {
  let made: Made | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/**
 * One area's operations. A request passes: its bytes, its signature, JSON, the contract, its handler; whatever refuses it, the
 * answer is the area's envelope.
 */
function areaRouter(area: Area, parts: MerchantApiParts): Router {
  const { contract, constraints, validateResponses, choices } = parts;
  const router = Router({ caseSensitive: true, strict: true });
  // In one route: it takes less to go from step to step in a route than in a router.
  router.all(
    /^/,
    express.raw({ type: () => true, inflate: false, limit: largestBody }),
    authentication(area, parts),
    jsonBody(parts),
    ...contractValidation({
      contract,
      constraints,
      validated: { segment: area.segment, responses: validateResponses },
      unknownFields: choices['unknown-fields'],
    }),
  );
  area.addRoutes(router);
  router.use(() => {
    throw new Refusal('invalid-parameter', noOperation);
  });
  router.use(refusalHandler(area, parts));
  return router;
}

/** Reads the bytes of a body as JSON. */
function jsonBody(parts: MerchantApiParts): RequestHandler {
  const readBody = bodyReaders[parts.choices['field-forms']](parts);
  return (request, _response, next) => {
    request.body = readBody(request, bytesOf(request));
    next();
  };
}

type ReadBody = (request: Request, bytes: Buffer) => unknown;

/** How a body's JSON is read (open point `field-forms`). */
const bodyReaders: Readonly<Record<Choices['field-forms'], (parts: MerchantApiParts) => ReadBody>> = {
  strict: () => (_request, bytes) => parseJsonBody(bytes),
  lenient: ({ constraints, operationOf }) => {
    const operations = bodyFields(constraints);
    return ({ method, originalUrl }, bytes) => {
      const fields = operations.get(operationOf(method, splitTarget(originalUrl).path) ?? '');
      return fields ? lenientBody(parseJsonBodyWithoutNumbers(bytes), fields) : parseJsonBody(bytes);
    };
  },
};

/** Finds out whose request it is, from the bytes that came; the merchant is then in `response.locals`. */
function authentication(area: Area, parts: MerchantApiParts): RequestHandler {
  const { operationOf } = parts;
  const ofArea = { ...parts, apiKey: area.apiKey };
  return async (request, response, next) => {
    const { target, merchantId, rest }: Place = response.locals.place;
    const { method, headers } = request;
    const { path, query } = target;
    const merchant = await authenticate({ path, query, method, headers, merchantId, body: bytesOf(request) }, ofArea);
    area.admit(merchant);
    if (rest !== undefined && !isDecodable(rest) && operationOf(method, target.path) !== undefined) {
      throw new Refusal('malformed-id', 'path: the percent-encoding of the id is broken; there is no such id');
    }
    response.locals.merchant = merchant;
    next();
  };
}

/** Answers every error in the envelope of the area. */
function refusalHandler(area: Area, { constraints, log }: MerchantApiParts): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    if (response.headersSent) return next(error);
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
    const { merchantId, rest }: Place = response.locals.place;
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
