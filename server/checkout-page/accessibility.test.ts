import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OrderView } from '../tests/support/contract.ts';
import { merchantClient, startTestServer, type TestServer } from '../tests/support/server.ts';
import { openShop, type Shop } from './testing/shop.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let shop: Shop;
let production: TestServer;
/** Every state of the page, keyed by its heading. */
let states: [title: string, address: string][];
/** An order whose texts are hard to lay out. */
let unwieldy: OrderView;

beforeAll(async () => {
  shop = await openShop();
  const merchant = await shop.merchant({ usdRate: '1.0042' });
  const amount = { value: '12.95', currency: 'USD' } as const;
  const items = [{ name: 'Tea', quantity: 2, amount, description: 'First flush' }];
  const order = (...happens: string[]) =>
    merchant
      .order({ description: 'Two teas', items, orderAmount: { value: '25.90', currency: 'USD' } })
      .then(async (created) => {
        await merchant.happen(created, ...happens);
        return created.checkoutUrl;
      });
  const open = await order();
  const seller = { merchantId: 'M-SHOP', apiKey: 'ak_shop', apiSecret: 'a secret of the shop' };
  production = await startTestServer({ mode: 'production', seed: [{ ...seller, settings: {} }] });
  const { checkoutUrl } = await merchantClient(production, seller).create();
  states = [
    ['Choose how to pay', open],
    ['Send USDT on Tron (TRC20)', `${open}/on-chain/tron`],
    ['Send USDT on Solana', `${open}/on-chain/solana`],
    ['Sign in to Exchange One', `${open}/exchange/EXCHANGE_ONE`],
    ['You have cancelled', `${open}/cancelled`],
    ['Payment detected', await order('transaction_detected')],
    ['Payment complete', await order('transaction_detected', 'payment_confirmed')],
    ['Payment failed', await order('transaction_detected', 'payment_failed')],
    ['The merchant has cancelled this order', await order('cancelled')],
    ['There is nothing here', `${open}x`],
    ['Exchange One is not connected', `${checkoutUrl}/exchange/EXCHANGE_ONE`],
    ['Send USDT on Ethereum (ERC20)', `${checkoutUrl}/on-chain/eth`],
  ];
  unwieldy = await merchant.order({
    orderAmount: { value: '123456789012345678901234567890.000000000000000001', currency: 'USDT' },
    description: 'W'.repeat(512),
    items: Array.from({ length: 30 }, () => ({
      name: `${'ﷺ'.repeat(40)} ${'x'.repeat(80)}`,
      quantity: 1e15,
      amount: { value: '9'.repeat(40), currency: 'USDT' },
    })),
    returnUrl: `https://${'a'.repeat(60)}.${'b'.repeat(60)}.example/`,
  });
});

afterAll(async () => {
  await production.close();
  await shop.close();
});

/** The serious and critical violations that axe finds on the page in its current state, in light and in dark colours. */
async function findings(page: Page): Promise<string[]> {
  // A heading can be read before the styles of a page that was just opened are there.
  await page.waitForLoadState();
  await page.evaluate(axe);
  const found: string[] = [];
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    // In the dark only the colours differ.
    const rules = colorScheme === 'dark' ? `, runOnly: ['color-contrast']` : '';
    const { violations } = await page.evaluate<AxeResults>(`axe.run({ resultTypes: ['violations']${rules} })`);
    const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    found.push(...serious.map(({ id, nodes }) => `${colorScheme}, ${id}: ${nodes.map(({ html }) => html).join(' ')}`));
  }
  return found;
}

const heading = (page: Page) => page.getByRole('heading', { level: 1 }).innerText();

test('no state of the page has a serious or critical finding, in light and in dark colours', async () => {
  const page = await shop.customer();
  for (const [title, address] of states) {
    await page.goto(address);
    expect(await heading(page)).toBe(title);
    expect(await findings(page), title).toEqual([]);
    expect(await page.title(), title).not.toBe('');
  }
  await page.goto(`${states[0]?.[1]}/exchange/EXCHANGE_TWO`);
  await page.getByRole('button', { name: 'Sign in as test customer' }).click();
  await expect.poll(() => heading(page)).toBe('Confirm at Exchange Two');
  expect(await findings(page)).toEqual([]);
  await page.context().close();
});

test('a screen of 320 pixels shows all without scrolling sideways, however long the texts', async () => {
  const page = await shop.customer({ viewport: { width: 320, height: 640 } });
  const addresses = [
    ...states.map(([, address]) => address),
    unwieldy.checkoutUrl,
    `${unwieldy.checkoutUrl}/on-chain/tron`,
    `${unwieldy.checkoutUrl}/cancelled`,
  ];
  for (const address of addresses) {
    await page.goto(address);
    for (const folded of await page.locator('summary').all()) await folded.click();
    expect(await page.evaluate('document.documentElement.scrollWidth'), address).toBe(320);
  }
  await page.context().close();
});

test('a customer who has only a keyboard pays, and always sees where they are', async () => {
  const merchant = await shop.merchant();
  const order = await merchant.order();
  const page = await shop.customer();
  const focused = page.locator(':focus');

  /** Presses Tab until the control of that name has the focus, which must be visible, then presses Enter. */
  async function reach(name: string): Promise<void> {
    for (let presses = 0; presses < 30; presses++) {
      await page.keyboard.press('Tab');
      const reached = (await focused.getAttribute('aria-label')) ?? (await focused.innerText());
      expect(await focused.evaluate((element) => element.matches(':focus-visible'))).toBe(true);
      if (!reached.startsWith(name)) continue;
      await page.keyboard.press('Enter');
      return;
    }
    throw new Error(`Tab does not lead to ${name}`);
  }

  await page.goto(order.checkoutUrl);
  await reach('Exchange One');
  await page.getByText('Sign in to Exchange One').waitFor();
  await reach('Sign in as test customer');
  await page.getByText('Confirm at Exchange One').waitFor();
  await reach('Pay 10 USDT');
  await page.getByText('Payment detected').waitFor();
  await merchant.happen(order, 'payment_confirmed');
  await page.getByText('Payment complete').waitFor();
  // After the page's content is replaced, the focus is on the new heading.
  expect(await focused.innerText()).toBe('Payment complete');
  await reach('Return to shop.example');
  await page.waitForURL('https://shop.example/**');
  await page.context().close();
});

test('live parts are announced, and the countdown is not, each second', async () => {
  const page = await shop.customer();
  await page.goto(states[5]?.[1] ?? '');
  expect(await page.getByRole('status').filter({ hasText: '0 of 19 confirmations' }).count()).toBe(1);
  await page.goto(states[1]?.[1] ?? '');
  expect(await page.getByRole('status').filter({ hasText: 'Waiting for your payment' }).count()).toBe(1);
  expect(
    await page
      .getByRole('timer')
      .filter({ hasText: /^5[0-9]:/ })
      .count(),
  ).toBe(1);
  await page.context().close();
});

test('nothing moves for those who want no motion', async () => {
  const page = await shop.customer({ reducedMotion: 'reduce' });
  await page.goto(states[1]?.[1] ?? '');
  expect(await page.evaluate('document.getAnimations().length')).toBe(0);
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  expect(await page.evaluate('document.getAnimations().length')).toBe(1);
  await page.context().close();
});

test('a printed receipt has what was paid, and nothing to press', async () => {
  const page = await shop.customer();
  await page.goto(states[6]?.[1] ?? '');
  await page.emulateMedia({ media: 'print' });
  const text = await page.locator('body').innerText();
  expect(text).toContain('26.00878 USDT');
  expect(text).toContain('Transaction');
  expect(text).not.toMatch(/Sandbox|Return to|Copy/);
  await page.context().close();
});
