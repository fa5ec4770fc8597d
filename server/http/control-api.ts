import express, { type Request, type RequestHandler, type Response } from 'express';
import type { components, operations } from '../../generated/sandbox-control.ts';
import type { Delivery } from '../domain/delivery.ts';
import { isoTime } from '../domain/times.ts';
import type { Sandbox } from '../services/control/sandbox.ts';
import { SandboxRefusal, type SandboxRefusalReason } from '../services/control/sandbox-refusal.ts';
import { equalInConstantTime } from '../signing/request-signature.ts';
import { isDecodable } from '../signing/request-target.ts';
import { bodyReader, operationsWithoutBody } from './control-schemas.ts';
import { contextOf } from './request-context.ts';
import type { Route } from './route-table.ts';

type Schemas = components['schemas'];

/** A refusal of the control API, which answers with a problem document (RFC 9457). */
class Problem extends Error {
  readonly status: number;
  readonly title: string;

  constructor(status: number, title: string, detail: string) {
    super(detail);
    this.status = status;
    this.title = title;
  }
}

const problems: Record<SandboxRefusalReason, { status: number; title: string }> = {
  'not-found': { status: 404, title: 'Not Found' },
  unprocessable: { status: 422, title: 'Unprocessable Content' },
  conflict: { status: 409, title: 'Conflict' },
};

const always: Schemas['Capabilities']['capabilities'] = [
  'merchants',
  'keys',
  'orders',
  'refunds',
  'clock',
  'deliveries',
];

/** A request for an operation of the control API. */
interface ControlRequest {
  /** The value of a parameter in the path, percent-encoding undone. */
  parameter(name: string): string;
  body: unknown;
}

/** An answer that is no problem. */
interface ControlAnswer {
  /** Default: 200. */
  status?: number;
  /** Absent: the answer has none. */
  body?: object;
  /** Done once the answer is sent. */
  afterwards?: () => void;
}

/**
 * The control API, for sandboxes only. `implementation` is `name/version`. A request is refused for the first of: no
 * token 401, malformed JSON 400, unknown subject 404, a body that does not fit 422, an impossible change 409.
 */
export function controlApi(parts: {
  sandbox: Sandbox;
  controlToken: string;
  implementation: string;
  /** Ends the server without warning; something starts it again. Absent: it cannot be restarted. */
  restart?: () => void;
  log: (message: string, error: unknown, context: { requestId: string }) => void;
}): RequestHandler {
  const { controlToken, log } = parts;
  const answers = answersOf(parts);

  const readJson = bodyParser();

  /** Answers a request; rejects where it is refused. */
  async function serve(request: Request, response: Response): Promise<void> {
    const presented = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (presented === undefined || !equalInConstantTime(presented, controlToken)) {
      throw new Problem(401, 'Unauthorized', 'send the control token as Authorization: Bearer …');
    }
    const { route } = contextOf(request);
    // The body of an operation that has none is ignored, whatever it is.
    if (!operationsWithoutBody.has(route.operation?.id ?? '')) await readJson(request, response);
    const answer = answers.get(route.operation?.id ?? '');
    if (!answer) throw new Problem(404, 'Not Found', `the control API has no ${request.method} ${request.path}`);
    if (!isDecodable(route.rest ?? '')) {
      throw new Problem(400, 'Bad Request', 'the percent-encoding of the path is broken; encode each part of the path');
    }
    const {
      status = 200,
      body,
      afterwards,
    } = await answer({
      parameter: (name) => parameterOf(route, name),
      body: request.body,
    });
    response.status(status);
    if (afterwards) response.once('finish', afterwards);
    if (body === undefined) response.end();
    else response.json(body);
  }

  return (request, response, next) =>
    serve(request, response).catch((error: unknown) => {
      if (response.headersSent) return next(error);
      const { status, title, message } = problemOf(error);
      if (status >= 500) log('the control API failed', error, { requestId: contextOf(request).requestId });
      const body: Schemas['Problem'] = { type: 'about:blank', title, status, detail: message };
      response.status(status).type('application/problem+json').send(JSON.stringify(body));
    });
}

/** The largest body, in bytes. */
const largestBody = 100 * 1024;

/** Reads a body as JSON, of any content type, into `request.body`; rejects for one that is not JSON. */
function bodyParser(): (request: Request, response: Response) => Promise<void> {
  const parse = express.json({ type: () => true, strict: false, limit: largestBody });
  return (request, response) =>
    new Promise((resolve, reject) => {
      parse(request, response, (error: unknown) => (error === undefined ? resolve() : reject(error)));
    });
}

/** The operations of the control API by `operationId`. */
function answersOf(parts: { sandbox: Sandbox; implementation: string; restart?: () => void }) {
  const { sandbox, implementation, restart } = parts;
  const settings = bodyReader('MerchantSettings');
  const orderEvent = bodyReader('OrderEvent');
  const refundEvent = bodyReader('RefundEvent');
  const clockAdvance = bodyReader('ClockAdvance');

  const capabilities: typeof always = restart ? [...always, 'restart'] : always;
  const answers: Readonly<Record<keyof operations, (request: ControlRequest) => Promise<ControlAnswer>>> = {
    getCapabilities: async () => ({ body: { implementation, capabilities } satisfies Schemas['Capabilities'] }),
    createMerchant: async ({ body }) => {
      const { merchantId, apiKey, apiSecret } = await sandbox.createMerchant(settings(body === undefined ? {} : body));
      return { status: 201, body: { merchantId, apiKey, apiSecret } satisfies Schemas['MerchantCredentials'] };
    },
    revokeKey: async ({ parameter }) => {
      await sandbox.revokeKey(parameter('merchantId'), parameter('apiKey'));
      return { status: 204 };
    },
    sendOrderEvent: async ({ parameter, body }) => {
      const [merchantId, orderId] = [parameter('merchantId'), parameter('orderId')];
      const event = await fitting(
        () => orderEvent(body),
        () => sandbox.expectOrder(merchantId, orderId),
      );
      return { body: await sandbox.orderEvent(merchantId, orderId, event) };
    },
    sendRefundEvent: async ({ parameter, body }) => {
      const [merchantId, refundOrderId] = [parameter('merchantId'), parameter('refundOrderId')];
      const event = await fitting(
        () => refundEvent(body),
        () => sandbox.expectRefund(merchantId, refundOrderId),
      );
      return { body: await sandbox.refundEvent(merchantId, refundOrderId, event) };
    },
    listDeliveries: async ({ parameter }) => {
      const deliveries = await sandbox.deliveries(parameter('merchantId'));
      return { body: { deliveries: deliveries.map(deliveryView) } satisfies Schemas['DeliveryList'] };
    },
    replayDelivery: async ({ parameter }) => {
      await sandbox.replayDelivery(parameter('merchantId'), parameter('deliveryId'));
      return { status: 202 };
    },
    advanceClock: async ({ parameter, body }) => {
      const merchantId = parameter('merchantId');
      const { advanceSeconds } = await fitting(
        () => clockAdvance(body),
        () => sandbox.expectMerchant(merchantId),
      );
      const now = await sandbox.advanceClock(merchantId, advanceSeconds);
      return { body: { now: isoTime(now) } satisfies Schemas['ClockReading'] };
    },
    restart: async () => {
      if (!restart)
        throw new Problem(
          404,
          'Not Found',
          'this server cannot be started again from here; start it with assay serve --supervised',
        );
      return { status: 202, afterwards: restart };
    },
  };
  return new Map(Object.entries(answers));
}

/** What is read of a body. Where the body does not fit, an unknown subject is refused before it. */
async function fitting<Body>(read: () => Body, expectSubject: () => Promise<void>): Promise<Body> {
  try {
    return read();
  } catch (error) {
    await expectSubject();
    throw error;
  }
}

/** The value of a parameter in the path; throws when the operation's path has no such parameter. */
function parameterOf({ parameters }: Route, name: string): string {
  const value = parameters[name];
  if (value === undefined) throw new Error(`the path of the operation has no parameter ${name}`);
  return value;
}

/** A webhook as the control API shows it. */
function deliveryView({ deliveryId, eventId, subject, url, status, attempts, dueAt }: Delivery): Schemas['Delivery'] {
  return {
    deliveryId,
    eventId,
    ...subject,
    url,
    status,
    attempts: attempts.map(({ at, ...outcome }) => ({ at: isoTime(at), ...outcome })),
    ...(dueAt !== null && { nextAttemptAt: isoTime(dueAt) }),
  };
}

function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof SandboxRefusal) {
    const { status, title } = problems[error.reason];
    return new Problem(status, title, error.message);
  }
  // What express itself refuses (JSON, charset, size, percent-encoding) carries a 4xx status and a message without secrets.
  if (error instanceof Error && 'status' in error && typeof error.status === 'number' && error.status < 500) {
    return new Problem(400, 'Bad Request', unreadable(error));
  }
  return new Problem(500, 'Internal Server Error', 'the server failed; its log says why');
}

/** What is wrong with a body that express cannot read. The message of a parser quotes a few characters of the body at most. */
function unreadable(error: Error): string {
  const type = 'type' in error ? error.type : undefined;
  if (type === 'entity.too.large') return `the body is too large; send at most ${largestBody / 1024} kB`;
  if (type === 'entity.parse.failed') return `the body is not JSON: ${error.message}`;
  return `the body cannot be read: ${error.message}; send JSON in UTF-8, with the Content-Encoding that it has`;
}
