import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { contraryChoices, networks } from '../../generated/catalogue.ts';
import type { OrderView } from '../tests/support/contract.ts';
import { type Answer, send } from '../tests/support/http.ts';
import { merchantClient, newMerchant, orderEvent, startTestServer, stoppedClock } from '../tests/support/server.ts';
import { sharedServer } from '../tests/support/shared-server.ts';
import { customer, pathOf, tokenOf } from './testing/customer.ts';

const clock = stoppedClock();
const server = await sharedServer({ clock: clock.read });
const merchant = merchantClient(server, await newMerchant(server));

/** The order's status in the merchant API. */
const statusOf = async ({ orderId }: OrderView) => (await merchant.query(orderId)).status;

/** Opens an address as a new customer, without cookies. */
const open = (path: string) => customer(server).get(path);

describe('a form', () => {
  const cases: [string, number, (order: OrderView) => Promise<Answer>][] = [
    [
      'without a token',
      403,
      async (order) => {
        const someone = customer(server);
        await someone.get(pathOf(order));
        return someone.post(`${pathOf(order)}/on-chain/tron/simulation`, { act: 'pay-exact' });
      },
    ],
    [
      'without the cookie, as another site would send it',
      403,
      async (order) => {
        const token = tokenOf(await open(pathOf(order)));
        return customer(server).post(`${pathOf(order)}/on-chain/tron/simulation`, { token, act: 'pay-exact' });
      },
    ],
    [
      "with another customer's token",
      403,
      async (order) => {
        const someone = customer(server);
        await someone.get(pathOf(order));
        const token = tokenOf(await open(pathOf(order)));
        return someone.post(`${pathOf(order)}/on-chain/tron/simulation`, { token, act: 'pay-exact' });
      },
    ],
    [
      "with another order's token",
      403,
      async (order) => {
        const someone = customer(server);
        const token = tokenOf(await someone.get(pathOf(await merchant.create())));
        return someone.post(`${pathOf(order)}/on-chain/tron/simulation`, { token, act: 'pay-exact' });
      },
    ],
    ...['cross-site', 'same-site', 'none'].map((site): (typeof cases)[number] => [
      `that a browser calls ${site}`,
      403,
      async (order) => {
        const someone = customer(server);
        const token = tokenOf(await someone.get(pathOf(order)));
        const fields = { token, act: 'pay-exact' };
        return someone.post(`${pathOf(order)}/on-chain/tron/simulation`, fields, { 'Sec-Fetch-Site': site });
      },
    ]),
    [
      'in JSON',
      403,
      async (order) => {
        const someone = customer(server);
        const token = tokenOf(await someone.get(pathOf(order)));
        return send(server.url, {
          method: 'POST',
          target: `${pathOf(order)}/on-chain/tron/simulation`,
          headers: { 'Content-Type': 'application/json', Cookie: `checkout=${someone.cookies.get('checkout')}` },
          body: JSON.stringify({ token, act: 'pay-exact' }),
        });
      },
    ],
    [
      'that is too large',
      413,
      (order) =>
        customer(server).submit(`${pathOf(order)}/on-chain/tron`, 'simulation', {
          act: 'pay-exact',
          more: 'x'.repeat(3000),
        }),
    ],
    [
      'with too many fields',
      413,
      (order) =>
        customer(server).submit(`${pathOf(order)}/on-chain/tron`, 'simulation', {
          act: 'pay-exact',
          ...Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`f${index}`, 'x'])),
        }),
    ],
    [
      'that is compressed',
      415,
      async (order) =>
        send(server.url, {
          method: 'POST',
          target: `${pathOf(order)}/on-chain/tron/simulation`,
          headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'Content-Encoding': 'gzip' },
          body: gzipSync('act=pay-exact'),
        }),
    ],
    [
      'with an act that there is not',
      303,
      (order) => customer(server).submit(`${pathOf(order)}/on-chain/tron`, 'simulation', { act: 'pay-nothing' }),
    ],
    [
      'that pays without a chosen method',
      303,
      (order) => customer(server).submit(pathOf(order), 'simulation', { act: 'pay-exact' }),
    ],
    [
      'that confirms at an exchange without signing in',
      303,
      (order) => customer(server).submit(`${pathOf(order)}/exchange/EXCHANGE_ONE`, 'confirm'),
    ],
  ];

  test.each(cases)('%s gets %i and changes nothing', async (_, status, post) => {
    const order = await merchant.create();
    expect((await post(order)).status).toBe(status);
    expect(await merchant.query(order.orderId)).toEqual(order);
  });

  test('that pays by a method that is not offered changes nothing', async () => {
    const order = await merchant.create({ paymentMethodConfig: { allowedPaymentMethodTypes: ['EXCHANGE_TRANSFER'] } });
    const someone = customer(server);
    const token = tokenOf(await someone.get(pathOf(order)));
    const answer = await someone.post(`${pathOf(order)}/on-chain/tron/simulation`, { token, act: 'pay-exact' });
    expect([answer.status, answer.headers.location]).toEqual([303, pathOf(order)]);
    expect(await statusOf(order)).toBe('INIT');
  });

  test('that comes late, after another tab, changes nothing and shows how it stands', async () => {
    const order = await merchant.create();
    const [first, second] = [customer(server), customer(server)];
    const page = `${pathOf(order)}/on-chain/tron`;
    const token = tokenOf(await second.get(page));
    await first.submit(page, 'simulation', { act: 'pay-exact' });
    const answer = await second.post(`${page}/simulation`, { token, act: 'pay-less' });
    expect([answer.status, answer.headers.location]).toEqual([303, pathOf(order)]);
    expect((await second.get(pathOf(order))).text).toContain('10 USDT');
  });

  test('sent twice at one moment pays once, and both lead to how it stands', async () => {
    // Both requests have seen the order wait before either pays it.
    let waiting: (() => void)[] = [];
    const racing = await startTestServer({
      replace: (parts) => {
        const { reads } = parts.storage;
        const findOrderOfAnyMerchant: typeof reads.findOrderOfAnyMerchant = async (orderId) => {
          const order = await reads.findOrderOfAnyMerchant(orderId);
          if (waiting.length > 0) {
            await new Promise<void>((resolve) => waiting.push(resolve));
          }
          return order;
        };
        return {
          ...parts,
          storage: {
            ...parts.storage,
            reads: Object.create(reads, { findOrderOfAnyMerchant: { value: findOrderOfAnyMerchant } }),
          },
        };
      },
    });
    const client = merchantClient(racing, await newMerchant(racing));
    const order = await client.create();
    const someone = customer(racing);
    const page = `${pathOf(order)}/on-chain/tron`;
    const token = tokenOf(await someone.get(page));
    waiting = [() => {}];
    const answers = ['pay-exact', 'pay-less'].map((act) => someone.post(`${page}/simulation`, { token, act }));
    await expect.poll(() => waiting.length).toBe(3);
    for (const go of waiting) go();
    for (const answer of await Promise.all(answers))
      expect([answer.status, answer.headers.location]).toEqual([303, page]);
    expect((await client.query(order.orderId)).status).toBe('PROCESSING');
    await racing.close();
  });

  test('for a time that cannot be reached says so', async () => {
    const order = await merchant.create({ expiresAt: '9999-12-31T23:59:59.999Z' });
    const { status, text } = await customer(server).submit(pathOf(order), 'simulation', { act: 'wait-expiry' });
    expect(status).toBe(422);
    expect(text).toContain('9999');
    expect(await statusOf(order)).toBe('INIT');
  });

  test('is taken only so often', async () => {
    const busy = merchantClient(server, await newMerchant(server));
    const order = await busy.create();
    const someone = customer(server);
    const token = tokenOf(await someone.get(pathOf(order)));
    const press = () => someone.post(`${pathOf(order)}/simulation`, { token, act: 'nothing' });
    for (let count = 0; count < 120; count++) expect((await press()).status).toBe(303);
    const { status, headers } = await press();
    expect([status, headers['retry-after']]).toEqual([429, '60']);
    clock.advance(60_001);
    expect((await press()).status).toBe(303);
  });

  test('has no address that can be opened', async () => {
    const order = await merchant.create();
    for (const name of ['/simulation', '/on-chain/tron/simulation', '/exchange/EXCHANGE_ONE/confirm']) {
      expect((await open(`${pathOf(order)}${name}?act=pay-exact`)).status).toBe(404);
    }
    expect(await statusOf(order)).toBe('INIT');
  });
});

describe('without scripts', () => {
  test('a customer pays from an exchange', async () => {
    const order = await merchant.create();
    const someone = customer(server);
    const start = await someone.get(pathOf(order));
    const [, exchange = ''] = /href="([^"]+EXCHANGE_TWO)"/.exec(start.text) ?? [];
    expect((await someone.get(exchange)).text).toContain('Sign in to Exchange Two');
    expect((await someone.submit(exchange, 'sign-in')).headers.location).toBe(exchange);
    expect((await someone.get(exchange)).text).toContain('Confirm at Exchange Two');
    await someone.submit(exchange, 'confirm');
    expect(await statusOf(order)).toBe('PROCESSING');
    const { headers } = await someone.get(exchange);
    expect(headers.location).toBe(pathOf(order));
    const processing = await someone.get(pathOf(order));
    expect(processing.text).toContain('0 of 19 confirmations');
    expect(processing.text).toContain('<noscript><meta http-equiv="refresh" content="10"></noscript>');
    await orderEvent(server, order, { type: 'payment_confirmed' });
    expect((await someone.get(pathOf(order))).text).toContain('Payment complete');
  });

  test.each(networks.filter(({ code }) => code !== 'base'))(
    'a customer reads amount and address of a transfer on $displayName, which the chain then reports',
    async ({ code, hostedName }) => {
      const order = await merchant.create({ orderAmount: { value: '12.50', currency: 'USDT' } });
      const someone = customer(server);
      const [, link = ''] =
        new RegExp(`href="([^"]+/on-chain/${code})"`).exec((await someone.get(pathOf(order))).text) ?? [];
      const { text } = await someone.get(link);
      const [amount, address] = [...text.matchAll(/data-copy="([^"]+)"/g)].map(([, copied]) => copied);
      expect(amount).toBe('12.50');
      await someone.submit(link, 'simulation', { act: 'pay-exact' });
      await someone.submit(pathOf(order), 'simulation', { act: 'confirm' });
      expect(await merchant.query(order.orderId)).toMatchObject({
        status: 'SUCCEEDED',
        cryptoPaidAmount: { value: amount },
        cryptoPaymentDetail: { network: hostedName, toAddress: address },
      });
    },
  );

  test('a customer reads what answers show, also where an exchange gives a reference of its own', async () => {
    const contrary = await startTestServer({ choices: contraryChoices });
    const client = merchantClient(contrary, await newMerchant(contrary));
    const order = await client.create();
    const someone = customer(contrary);
    const exchange = `${pathOf(order)}/exchange/EXCHANGE_ONE`;
    await someone.submit(exchange, 'sign-in');
    await someone.submit(exchange, 'confirm');
    await someone.submit(pathOf(order), 'simulation', { act: 'confirm' });
    const { cryptoPaymentDetail } = await client.query(order.merchantOrderId);
    expect(cryptoPaymentDetail?.txHash).toMatch(/^EXCHANGE_ONE-/);
    const { text } = await someone.get(pathOf(order));
    expect(text).toContain(`data-copy="${cryptoPaymentDetail?.txHash}"`);
    expect(text).not.toContain('Confirmations');
    await contrary.close();
  });

  test('signing out ends what signing in began', async () => {
    const exchange = `${pathOf(await merchant.create())}/exchange/EXCHANGE_ONE`;
    const someone = customer(server);
    await someone.submit(exchange, 'sign-in');
    await someone.submit(exchange, 'sign-out');
    expect((await someone.get(exchange)).text).toContain('Sign in to Exchange One');
  });

  test('the sign-in is sent to that exchange and that order only', async () => {
    const exchange = `${pathOf(await merchant.create())}/exchange/EXCHANGE_ONE`;
    const { headers } = await customer(server).submit(exchange, 'sign-in');
    expect(headers['set-cookie']?.at(-1)).toMatch(
      new RegExp(`; Path=${exchange.replace('.', '\\.')};.*HttpOnly; SameSite=Lax`),
    );
  });
});
