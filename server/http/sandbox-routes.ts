import express, { type ErrorRequestHandler, type Request, type Response, Router } from 'express';
import type { components } from '../../generated/sandbox-control.ts';
import type { Delivery } from '../domain/delivery.ts';
import { isoTime } from '../domain/times.ts';
import type { Sandbox } from '../services/sandbox.ts';
import { SandboxRefusal, type SandboxRefusalReason } from '../services/sandbox-refusal.ts';
import { equalInConstantTime } from '../signing/request-signature.ts';
import { bodyReader } from './control-schemas.ts';

type Schemas = components['schemas'];

/** A refusal as the control API words it (RFC 9457). */
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

const capabilities: Schemas['Capabilities']['capabilities'] = ['merchants', 'orders', 'refunds', 'clock', 'deliveries'];

/**
 * The control API, for sandboxes only. `implementation` is `name/version`. A request is refused for the first of: no
 * token 401, malformed JSON 400, unknown subject 404, a body that does not fit 422, no such move 409.
 */
export function sandboxRoutes(options: {
  sandbox: Sandbox;
  controlToken: string;
  implementation: string;
  log: (message: string, error: unknown, context: { requestId: string }) => void;
}): Router {
  const { sandbox, controlToken, implementation, log } = options;
  const settings = bodyReader('MerchantSettings');
  const orderEvent = bodyReader('OrderEvent');
  const refundEvent = bodyReader('RefundEvent');
  const clockAdvance = bodyReader('ClockAdvance');

  const router = Router({ caseSensitive: true });
  router.use((request, _response, next) => {
    const presented = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (presented !== undefined && equalInConstantTime(presented, controlToken)) return next();
    next(new Problem(401, 'Unauthorized', 'send the control token as Authorization: Bearer …'));
  });
  router.use(express.json({ type: () => true, strict: false }));

  router.get('/', (_request, response: Response<Schemas['Capabilities']>) => {
    response.json({ implementation, capabilities });
  });
  router.post('/merchants', async (request, response: Response<Schemas['MerchantCredentials']>) => {
    const { merchantId, apiKey, apiSecret } = await sandbox.createMerchant(
      settings(request.body === undefined ? {} : request.body),
    );
    response.status(201).json({ merchantId, apiKey, apiSecret });
  });
  router.post(
    '/merchants/:merchantId/orders/:orderId/events',
    async (
      request: Request<{ merchantId: string; orderId: string }>,
      response: Response<{ status: string; due: Schemas['OrderEventResult']['due'] }>,
    ) => {
      const { merchantId, orderId } = request.params;
      await sandbox.expectOrder(merchantId, orderId);
      response.json(await sandbox.orderEvent(merchantId, orderId, orderEvent(request.body)));
    },
  );
  router.post(
    '/merchants/:merchantId/refunds/:refundOrderId/events',
    async (request: Request<{ merchantId: string; refundOrderId: string }>, response: Response) => {
      const { merchantId, refundOrderId } = request.params;
      await sandbox.expectRefund(merchantId, refundOrderId);
      response.json(await sandbox.refundEvent(merchantId, refundOrderId, refundEvent(request.body)));
    },
  );
  router.get(
    '/merchants/:merchantId/deliveries',
    async (request: Request<{ merchantId: string }>, response: Response<Schemas['DeliveryList']>) => {
      const deliveries = await sandbox.deliveries(request.params.merchantId);
      response.json({ deliveries: deliveries.map(deliveryView) });
    },
  );
  router.post(
    '/merchants/:merchantId/deliveries/:deliveryId/replay',
    async (request: Request<{ merchantId: string; deliveryId: string }>, response: Response) => {
      await sandbox.replayDelivery(request.params.merchantId, request.params.deliveryId);
      response.status(202).end();
    },
  );
  router.post(
    '/merchants/:merchantId/clock',
    async (request: Request<{ merchantId: string }>, response: Response<Schemas['ClockReading']>) => {
      const { merchantId } = request.params;
      await sandbox.expectMerchant(merchantId);
      const now = await sandbox.advanceClock(merchantId, clockAdvance(request.body).advanceSeconds);
      response.json({ now: new Date(now).toISOString() });
    },
  );
  router.use((request, _response, next) => {
    next(new Problem(404, 'Not Found', `the control API has no ${request.method} ${request.path}`));
  });
  router.use(problemHandler(log));
  return router;
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

function problemHandler(log: Parameters<typeof sandboxRoutes>[0]['log']): ErrorRequestHandler {
  return (error: unknown, _request, response, next) => {
    if (response.headersSent) return next(error);
    const { status, title, message } = problemOf(error);
    if (status >= 500) log('control API failed', error, { requestId: response.locals.requestId });
    const body: Schemas['Problem'] = { type: 'about:blank', title, status, detail: message };
    response.status(status).type('application/problem+json').send(JSON.stringify(body));
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
    return new Problem(400, 'Bad Request', error.message);
  }
  return new Problem(500, 'Internal Server Error', 'the server failed; its log says why');
}
