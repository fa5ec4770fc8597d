import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { expect, vi } from 'vitest';
import type { components } from '../../../generated/sandbox-control.ts';
import type { ServerOptions } from '../../options.ts';
import { launchBrowser } from '../../tests/support/browser.ts';
import { eventOf, type OrderView } from '../../tests/support/contract.ts';
import {
  advance,
  type MerchantClient,
  merchantClient,
  newMerchant,
  orderEvent,
  startTestServer,
  type TestServer,
} from '../../tests/support/server.ts';
import { selfSigned, startReceiver } from '../../webhooks/testing/receiver.ts';

/** The address to which merchants want their customers to return. */
export const returnUrl = 'https://shop.example/return?order=17';

export type Shop = Awaited<ReturnType<typeof openShop>>;

/** A server with a database file, merchants with a webhook receiver, and a browser for their customers. */
export async function openShop() {
  const folder = await mkdtemp(join(tmpdir(), 'assay-checkout-'));
  const options: Partial<ServerOptions> = { database: join(folder, 'assay.db') };
  const receiver = await startReceiver((response) => response.end(), await selfSigned());
  const browser = await launchBrowser();
  let server: TestServer = await startTestServer(options);
  const trouble: string[] = [];
  /** The browser that customers share who need none of their own. */
  let shared: Promise<BrowserContext> | undefined;

  /** The statuses in an order's webhooks, oldest first. */
  const webhooksOf = ({ orderId }: OrderView) =>
    receiver.received
      .map(({ body }) => eventOf(body, 'OrderEvent'))
      .filter(({ acquiringOrderId }) => acquiringOrderId === orderId)
      .sort((a, b) => Number(a.sequence) - Number(b.sequence));

  /** Opens a browser that records what is wrong with its pages. */
  async function openContext(settings: BrowserContextOptions): Promise<BrowserContext> {
    const context = await browser.newContext(settings);
    context.setDefaultTimeout(120_000);
    await context.route('https://shop.example/**', (route) => route.fulfill({ body: 'Back in the shop' }));
    context.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(`${server.url}/checkout/`) && !url.startsWith(returnUrl)) trouble.push(`request to ${url}`);
    });
    context.on('weberror', (error) => trouble.push(`script: ${error.error()}`));
    context.on('console', (message) => {
      // Messages that a browser logs when the server is gone are not trouble.
      if (message.type() === 'error' && !/ERR_CONNECTION|Failed to fetch/.test(message.text())) {
        trouble.push(message.text());
      }
    });
    context.on('dialog', (dialog) => trouble.push(`dialog: ${dialog.message()}`));
    return context;
  }

  return {
    get server() {
      return server;
    },
    browser,
    /** Problems seen: in scripts, with the content security policy, requests to other hosts, errors of the server. */
    trouble,
    /** Creates a separate merchant with its own clock. */
    async merchant(settings: components['schemas']['MerchantSettings'] = {}) {
      const credentials = await newMerchant(server, settings);
      const client = (): MerchantClient => merchantClient(server, credentials);
      return {
        order: (changes: Parameters<MerchantClient['create']>[0] = {}) =>
          client().create({ returnUrl, callbackUrl: `https://127.0.0.1:${receiver.port}/hooks`, ...changes }),
        view: ({ orderId }: OrderView) => client().query(orderId),
        happen: (order: OrderView, ...types: string[]) =>
          types.reduce<Promise<unknown>>(
            (before, type) => before.then(() => orderEvent(server, order, { type })),
            Promise.resolve(),
          ),
        pass: (seconds: number) => advance(server, credentials.merchantId, seconds),
        /**
         * Waits until the order's webhooks have reported these statuses. The last webhook must match the API's answer.
         */
        async told(order: OrderView, ...statuses: string[]) {
          const seen = () => expect(webhooksOf(order).map(({ status }) => status)).toEqual(statuses);
          await vi.waitFor(seen, { interval: 20, timeout: 120_000 });
          const view = await client().query(order.orderId);
          expect(webhooksOf(order).at(-1)).toMatchObject(view);
          return view;
        },
      };
    },
    /** Opens a customer's browser with one page. */
    customer: async (settings: BrowserContextOptions = {}): Promise<Page> => (await openContext(settings)).newPage(),
    /** Opens a page in a browser that has other customers' pages too, which takes less than a browser for each. */
    async sharingCustomer(): Promise<Page> {
      shared ??= openContext({});
      return (await shared).newPage();
    },
    /** Stops the server. `again` starts it again with the same data and the same address. */
    async stop() {
      const { port } = new URL(server.url);
      await server.close();
      trouble.push(...server.logged);
      return async function again() {
        server = await startTestServer({ ...options, port: Number(port) });
      };
    },
    async close() {
      await browser.close();
      await server.close();
      trouble.push(...server.logged);
      await receiver.close();
      await rm(folder, { recursive: true });
    },
  };
}
