import { randomBytes } from 'node:crypto';
import { Inconclusive } from './check.ts';
import type { Session } from './context.ts';
import type { Credentials, Driver } from './drivers/driver.ts';
import { httpDriver } from './drivers/http-driver.ts';
import { createTransport, openConnections } from './transport.ts';

/** What a run needs to know of its target. Times in milliseconds. */
export interface SessionOptions {
  target: string;
  control?: { url: string; token: string } | undefined;
  merchants: Readonly<Record<string, Credentials>>;
  seed: number;
  concurrency: number;
  timeout: number;
  settle: number;
}

/** The target or its control API cannot be reached: there is nothing to judge. */
export class Unreachable extends Error {}

/** Below this the `Date` header, which counts seconds, says nothing about a clock. */
const smallestSkew = 2000;

/** Opens what a run shares: connections, the driver, the target's clock. Throws `Unreachable`. */
export async function openSession(options: SessionOptions): Promise<Session> {
  const { control, merchants, seed, timeout, settle } = options;
  const target = options.target.replace(/\/$/, '');
  const runId = randomBytes(4).toString('hex');
  const connections = openConnections(options.concurrency * 2);
  const transport = createTransport({ connections, userAgent: `assay (run ${runId})`, timeout });
  try {
    const { origin, pathname } = new URL(target);
    const greeting = await transport.send({ method: 'GET', origin, target: pathname, headers: {} });
    const driver: Driver = control ? await httpDriver(control.url, control.token, transport) : {};
    const skew = Date.parse(greeting.headers.date ?? '') - Date.now();
    const configured = Object.values(merchants).flatMap(({ apiKey, apiSecret }) => [apiKey, apiSecret]);
    return {
      target,
      runId,
      seed,
      driver,
      merchants,
      connections,
      clockSkew: Math.abs(skew) >= smallestSkew ? skew : 0,
      timeout,
      settle,
      shared: new Map(),
      secrets: new Set([...configured, ...(control ? [control.token] : [])]),
    };
  } catch (error) {
    connections.close();
    if (error instanceof Inconclusive) throw new Unreachable(error.message);
    throw error;
  }
}
