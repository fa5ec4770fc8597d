import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { InternalServerError } from 'express-openapi-validator/dist/framework/types.js';
import type { Choices, Constraint } from '../../generated/catalogue.ts';
import type { Clock, Storage } from '../services/ports.ts';
import { Refusal } from '../services/refusal.ts';
import { isDecodable, splitTarget } from '../signing/request-target.ts';
import { signatureHint } from '../signing/signature-hint.ts';
import type { Area } from './area.ts';
import { authenticate } from './authentication.ts';
import { bodyReader, largestBody, UnreadBody } from './body-reader.ts';
import { chosenConstraints } from './chosen-constraints.ts';
import type { ContractDocument } from './contract-document.ts';
import { parseJsonBody } from './json-body.ts';
import { type OperationRules, operationRules } from './operation-rules.ts';
import { rationed } from './rationed.ts';
import { contextOf } from './request-context.ts';
import type { Route, RoutedOperation } from './route-table.ts';

export interface MerchantApiParts {
  contract: ContractDocument;
  constraints: readonly Constraint[];
  validateResponses: boolean;
  storage: Storage;
  clock: Clock;
  areas: readonly Area[];
  choices: Choices;
  /** Whether a refusal explains what is wrong about a signature; for sandboxes. */
  explainSignatures: boolean;
  log: (message: string, error: unknown, context: { requestId: string }) => void;
}

/** How many wrong signatures the server explains in a second; explaining one takes longer than refusing it. */
const explanationsPerSecond = 50;

/**
 * The operations of the merchant contract. A request passes, in this order: its headers, its bytes, its signature, JSON, the
 * contract, its handler. Every refusal is answered in the envelope of the request's area. Requests outside of all areas go to `next`.
 */
export function merchantApi(parts: MerchantApiParts): RequestHandler {
  const { validateResponses, log } = parts;
  const areas = new Map(parts.areas.map((area) => [area.name, area]));
  const operations = new Map(
    parts.areas.flatMap((area) => area.operations.map((operation) => [String(operation.id), operation])),
  );
  const readBody = bodyReader();
  const explain = parts.explainSignatures ? rationed(signatureHint, explanationsPerSecond) : undefined;
  const rulesOf = rulesOnFirstUse({
    ...parts,
    constraints: chosenConstraints(parts.constraints, parts.choices),
    responses: validateResponses,
  });

  /** Answers a request that is in order; rejects for any other, with a `Refusal` where the merchant is at fault. */
  async function serve(area: Area, request: Request, response: Response, brokenAnswer: NextFunction): Promise<void> {
    const { requestId, route } = contextOf(request);
    const target = splitTarget(request.originalUrl);
    const { method, headers } = request;
    const presented = { ...target, method, headers, merchantId: merchantIdOf(route) };
    const verify = await authenticate(presented, { ...parts, explain, apiKey: area.apiKey });
    const bytes = await readBody(request);
    const merchant = await verify(bytes);
    area.admit(merchant);
    expectDecodable(route);
    const rules = route.operation && rulesOf(route.operation);
    request.body = rules ? rules.readBody(bytes) : parseJsonBody(bytes);
    const operation = operations.get(route.operation?.id ?? '');
    if (!rules || !operation) throw noOperation(request, route);
    if (target.query !== undefined) leaveOut(request, operation.ignored(request.query));
    const { parameters } = route;
    rules.check(request, response, parameters, brokenAnswer);
    const { body, query } = request;
    response.json(await operation.answer({ requestId, merchant, body, query, parameters, target }));
  }

  /** Answers an error in the envelope of the area. */
  function refuse(area: Area, error: unknown, request: Request, response: Response, next: NextFunction): void {
    if (response.headersSent) {
      next(error);
      return;
    }
    const { requestId, route } = contextOf(request);
    if (error instanceof InternalServerError) {
      // The server's own answer breaks the contract. It must not be sent as if it were right.
      log('an answer breaks the contract', error, { requestId });
      response.status(500).type('text').send(`the server's answer breaks the contract: ${error.message}`);
      return;
    }
    const known = error instanceof Refusal ? error : unreadableRequest(error);
    if (!known) log('a request failed', error, { requestId });
    const { status, headers, body } = area.refuse(known ?? systemRefusal(), {
      requestId,
      merchantId: merchantIdOf(route),
      rest: route.rest,
      body: request.body,
    });
    response
      .status(status)
      .set(headers ?? {})
      .json(body);
  }

  return async (request, response, next) => {
    const area = areas.get(contextOf(request).route.area ?? '');
    if (!area) return next();
    const refused = (error: unknown) => refuse(area, error, request, response, next);
    await serve(area, request, response, refused).catch(refused);
  };
}

/** The rules of each operation, made at the first request for it: its validator would take a good part of the start. */
function rulesOnFirstUse(parts: Parameters<typeof operationRules>[1]): (operation: RoutedOperation) => OperationRules {
  const known = new Map<string, OperationRules>();
  return (operation) => {
    const rules = known.get(operation.id) ?? operationRules(operation, parts);
    known.set(operation.id, rules);
    return rules;
  };
}

/** Takes parameters out of the query of a request. Express reads the query anew at each access, so it is set. */
function leaveOut(request: Request, names: readonly string[]): void {
  if (names.length === 0) return;
  const kept = Object.entries(request.query).filter(([name]) => !names.includes(name));
  Object.defineProperty(request, 'query', { value: Object.fromEntries(kept), configurable: true, writable: true });
}

/** Refuses an id in the path whose percent-encoding is broken. */
function expectDecodable({ operation, rest }: Route): void {
  if (!operation || rest === undefined || isDecodable(rest)) return;
  throw new Refusal('malformed-id', 'path: the percent-encoding of the id is broken; there is no such id');
}

function noOperation({ method }: Request, { isKnownPath }: Route): Refusal {
  return new Refusal(
    'invalid-parameter',
    isKnownPath
      ? `method: ${method} is no method of this path`
      : 'path: there is no such operation; see the paths of the contract',
  );
}

/** The refusal of a request whose bytes cannot be read, or are not JSON by their headers; `undefined` for other errors. */
function unreadableRequest(error: unknown): Refusal | undefined {
  if (error instanceof UnreadBody && error.status === 503) return new Refusal('system-error', `body: ${error.message}`);
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number') return undefined;
  if (error.status >= 500) return undefined;
  const message: Record<number, string> = {
    413: `body: is larger than ${largestBody} bytes; send less`,
    415: 'Content-Type: must be application/json, and the body must not be compressed',
  };
  return new Refusal('invalid-parameter', message[error.status] ?? `request: ${error.message}`);
}

function systemRefusal(): Refusal {
  return new Refusal('system-error', 'the service failed; wait a moment, then query before you send it again');
}

function merchantIdOf({ parameters }: Route): string {
  return parameters.merchantId ?? '';
}
