import { createServer, type Server } from 'node:http';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { SendResult } from '../services/delivery/deliver.ts';
import type { Clock, Storage } from '../services/ports.ts';
import type { FailureLog } from './logger.ts';
import type { Observer } from './observe-requests.ts';
import { within } from './within.ts';

/** How long the database may take to count, in milliseconds. */
const patience = 2_000;

/** Counts requests, attempts and waiting work, and shows the numbers in the form that Prometheus reads. */
export interface Metrics extends Observer {
  /** All metrics as text; those of the database are missing when it does not answer. */
  text(): Promise<string>;
  contentType: string;
}

export function createMetrics({ storage, clock, log }: { storage: Storage; clock: Clock; log: FailureLog }): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'assay_requests_total',
    help: 'Answered requests. code is that of the envelope; status 0: the client was gone before the answer.',
    labelNames: ['area', 'operation', 'code', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'assay_request_duration_seconds',
    help: 'From the headers of a request to the end of its answer.',
    labelNames: ['area', 'operation'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const attempts = new Counter({
    name: 'assay_webhook_attempts_total',
    help: 'Attempts to deliver a webhook: acknowledged (200), refused (another status) or failed (no answer).',
    labelNames: ['outcome'],
    registers,
  });
  const pending = new Gauge({
    name: 'assay_deliveries_pending',
    help: 'Webhooks in the database that are still to be sent, due or not.',
    registers,
  });
  const due = new Gauge({
    name: 'assay_due_work',
    help: 'Work in the database that is due and not yet done.',
    labelNames: ['kind'],
    registers,
  });

  async function countWork(): Promise<void> {
    try {
      const work = await within(patience, storage.reads.countWork(clock()));
      pending.set(work.pendingDeliveries);
      due.set({ kind: 'deliveries' }, work.dueDeliveries);
      due.set({ kind: 'orders' }, work.dueOrders);
      due.set({ kind: 'refunds' }, work.dueRefunds);
    } catch (error) {
      log('counting the work in the database failed', error);
      // No number is better than an old one.
      pending.remove();
      for (const kind of ['deliveries', 'orders', 'refunds']) due.remove({ kind });
    }
  }

  return {
    contentType: registry.contentType,
    text: async () => {
      await countWork();
      return registry.metrics();
    },
    requestAnswered: ({ area = '', operation = '', code = '', status = 0, durationMs }) => {
      requests.inc({ area, operation, code, status });
      durations.observe({ area, operation }, durationMs / 1000);
    },
    webhookAttempted: (result) => attempts.inc({ outcome: outcomeOf(result) }),
  };
}

function outcomeOf(result: SendResult): string {
  if ('error' in result) return 'failed';
  return result.httpStatus === 200 ? 'acknowledged' : 'refused';
}

/** A server with the metrics at `/metrics` and no other path. */
export function metricsServer(metrics: Metrics, log: FailureLog): Server {
  return createServer((request, response) => {
    if (request.url !== '/metrics' || request.method !== 'GET') {
      response.writeHead(404).end();
      return;
    }
    metrics.text().then(
      (text) => response.writeHead(200, { 'Content-Type': metrics.contentType }).end(text),
      (error: unknown) => {
        log('showing metrics failed', error);
        response.writeHead(500).end();
      },
    );
  });
}
