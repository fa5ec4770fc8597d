import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { networks } from '../../generated/catalogue.ts';
import type { OrderView } from '../tests/support/contract.ts';
import { openShop, returnUrl, type Shop } from './testing/shop.ts';

let shop: Shop;

beforeAll(async () => {
  shop = await openShop();
  // One page gives the browser its secret, before several ask for one at the same time.
  const page = await shop.sharingCustomer();
  await page.goto((await (await shop.merchant()).order()).checkoutUrl);
  await page.close();
});

afterAll(async () => {
  await shop.close();
  expect(shop.trouble).toEqual([]);
});

const heading = (page: Page) => page.getByRole('heading', { level: 1 });
/** Waits for a page, also for a page that appears by itself. */
const shows = (page: Page, title: string | RegExp) =>
  heading(page).filter({ hasText: title }).waitFor({ timeout: 60_000 });
/** Presses a button; where there is none, says which page there is instead. */
const press = (page: Page, name: string | RegExp) =>
  page
    .getByRole('button', { name })
    .click()
    .catch(async (cause: unknown) => {
      throw new Error(`No button ${name} at ${page.url()}: ${await heading(page).allInnerTexts()}`, { cause });
    });
/** Follows a link to another address. A click that a busy browser has lost is made again, as a customer would. */
async function follow(page: Page, name: string | RegExp): Promise<void> {
  const start = page.url();
  const click = async () => {
    if (page.url() !== start) return;
    await page.getByRole('link', { name }).click({ timeout: 20_000 });
    await page.waitForURL(({ href }) => href !== start, { timeout: 20_000, waitUntil: 'commit' });
  };
  await vi.waitFor(click, { timeout: 120_000 });
}
/** The value beside a label in the page's lists. */
const fact = (page: Page, label: string) =>
  page
    .locator(`dt:text-is("${label}") + dd`)
    .first()
    .locator('span, bdi, time')
    .or(page.locator(`dt:text-is("${label}") + dd:not(:has(*))`))
    .first()
    .innerText();

/** Fails unless the receipt agrees with the API. */
async function expectReceipt(page: Page, view: OrderView): Promise<void> {
  const { cryptoPaidAmount, cryptoPaymentDetail: detail, paidAt } = view;
  const network = networks.find(({ hostedName }) => hostedName === detail?.network);
  expect(await fact(page, 'Paid')).toBe(`${cryptoPaidAmount?.value} ${cryptoPaidAmount?.currency}`);
  expect(await page.locator('dt:text-is("Paid at") + dd time').getAttribute('datetime')).toBe(paidAt);
  expect(await fact(page, 'Network')).toBe(network?.displayName);
  expect(await fact(page, 'Transaction')).toBe(detail?.txHash);
  expect(await fact(page, 'From')).toBe(detail?.fromAddress);
  expect(await fact(page, 'To')).toBe(detail?.toAddress);
  expect(await fact(page, 'Block')).toBe(String(detail?.blockNumber));
  expect(await fact(page, 'Confirmations')).toBe(`${detail?.confirmations} of ${network?.confirmations}`);
  expect(await page.getByRole('link', { name: 'Return to shop.example' }).getAttribute('href')).toBe(returnUrl);
}

describe.concurrent('a customer', () => {
  test('transfers from a wallet, sees the confirmations counted, and goes back', async () => {
    const merchant = await shop.merchant({ automatic: true });
    const order = await merchant.order({ description: 'Two teas', orderAmount: { value: '25.90', currency: 'USDT' } });
    const page = await shop.sharingCustomer();
    await page.goto(order.checkoutUrl);
    expect(await page.getByRole('complementary').innerText()).toMatch(/25\.90 USDT[\s\S]*Two teas/);
    await follow(page, /Polygon/);
    await shows(page, 'Send USDT on Polygon');
    const address = await fact(page, 'Address');
    await press(page, 'Pay exactly: 25.90 USDT');
    await shows(page, 'Payment detected');
    await merchant.told(order, 'PROCESSING');
    // The payment needs 64 confirmations, one each second. Real time passes meanwhile.
    await merchant.pass(30);
    const counted = async () =>
      Number((await page.locator('[data-live=confirmations]').innerText()).split(' of 64')[0]);
    await vi.waitFor(async () => expect(await counted()).toBeGreaterThanOrEqual(30), { timeout: 60_000 });
    expect(await page.locator('progress').getAttribute('value')).not.toBe('0');
    await merchant.pass(64);
    await shows(page, 'Payment complete');
    const view = await merchant.told(order, 'PROCESSING', 'SUCCEEDED');
    expect(view.cryptoPaymentDetail?.toAddress).toBe(address);
    await expectReceipt(page, view);
    await follow(page, 'Return to shop.example');
    expect(page.url()).toBe(returnUrl);
    await page.close();
  });

  test.each(['One', 'Two'])('pays from Exchange %s', async (name) => {
    const merchant = await shop.merchant({ usdRate: '1.0042' });
    const order = await merchant.order({ orderAmount: { value: '25.90', currency: 'USD' } });
    const page = await shop.sharingCustomer();
    await page.goto(order.checkoutUrl);
    expect(await page.getByRole('complementary').innerText()).toMatch(
      /26\.00878 USDT[\s\S]*25\.90 USD, at 1\.0042 USDT/,
    );
    await follow(page, new RegExp(`Exchange ${name}`));
    await press(page, 'Sign in as test customer');
    await shows(page, `Confirm at Exchange ${name}`);
    await press(page, 'Pay 26.00878 USDT');
    await shows(page, 'Payment detected');
    await merchant.happen(order, 'payment_confirmed');
    await shows(page, 'Payment complete');
    const view = await merchant.told(order, 'PROCESSING', 'SUCCEEDED');
    expect(view).toMatchObject({
      orderAmount: { value: '25.90', currency: 'USD' },
      cryptoPaidAmount: { value: '26.00878' },
    });
    await expectReceipt(page, view);
    expect(await fact(page, 'Method')).toBe(`Exchange ${name}`);
    await page.close();
  });

  test.each([
    ['/on-chain/tron', 'too little', 'Pay less: 9.999999 USDT', '0.000001 USDT less', 'FAILED'],
    ['/exchange/EXCHANGE_ONE', 'too little', 'Pay less: 9.999999 USDT', '0.000001 USDT less', 'FAILED'],
    ['/on-chain/solana', 'too much', 'Pay more: 10.000001 USDT', '0.000001 USDT more', 'SUCCEEDED'],
  ])('at %s sends %s', async (step, _, act, difference, status) => {
    const merchant = await shop.merchant();
    const order = await merchant.order();
    const page = await shop.sharingCustomer();
    await page.goto(`${order.checkoutUrl}${step}`);
    await press(page, act);
    await shows(page, 'Payment detected');
    await press(page, 'Confirm the payment');
    await shows(page, status === 'FAILED' ? 'Payment failed' : 'Payment complete');
    expect(await page.getByRole('main').innerText()).toContain(difference);
    const view = await merchant.told(order, 'PROCESSING', status);
    if (status === 'SUCCEEDED') await expectReceipt(page, view);
    else expect(await fact(page, 'Transaction')).not.toBe('');
    await page.close();
  });

  test('sees a payment fail while looking', async () => {
    const merchant = await shop.merchant();
    const order = await merchant.order();
    const page = await shop.sharingCustomer();
    await page.goto(`${order.checkoutUrl}/on-chain/tron`);
    await merchant.happen(order, 'transaction_detected');
    await shows(page, 'Payment detected');
    await merchant.happen(order, 'payment_failed');
    await shows(page, 'Payment failed');
    expect(page.url()).toBe(order.checkoutUrl);
    await merchant.told(order, 'PROCESSING', 'FAILED');
    await page.close();
  });

  test('sees the time run out', async () => {
    const merchant = await shop.merchant();
    const order = await merchant.order({ expiresAt: new Date(Date.now() + 10_000).toISOString() });
    const page = await shop.sharingCustomer();
    await page.goto(`${order.checkoutUrl}/exchange/EXCHANGE_ONE`);
    await page
      .getByRole('timer')
      .filter({ hasText: /^0:0[0-9]$/ })
      .waitFor();
    await shows(page, 'The time to pay is over');
    expect(await heading(page).evaluate((element) => element.matches(':focus'))).toBe(true);
    await merchant.told(order, 'CLOSED');
    await page.close();
  });

  test('lets time pass in the sandbox until the order expires', async () => {
    const merchant = await shop.merchant();
    const order = await merchant.order();
    const page = await shop.sharingCustomer();
    await page.goto(order.checkoutUrl);
    await press(page, 'Let a minute pass');
    await page.getByRole('timer').filter({ hasText: /^58:/ }).waitFor();
    await press(page, 'Let time pass until expiry');
    await shows(page, 'The time to pay is over');
    await merchant.told(order, 'CLOSED');
    await page.close();
  });

  test('sees that the merchant has cancelled', async () => {
    const merchant = await shop.merchant();
    const order = await merchant.order();
    const page = await shop.sharingCustomer();
    await page.goto(`${order.checkoutUrl}/on-chain/bsc`);
    await merchant.happen(order, 'cancelled');
    await shows(page, 'The merchant has cancelled this order');
    await merchant.told(order, 'CLOSED');
    await page.close();
  });

  test('cancels, which leaves the order as it is, and pays after all', async () => {
    const merchant = await shop.merchant();
    const order = await merchant.order();
    const page = await shop.sharingCustomer();
    await page.goto(`${order.checkoutUrl}/on-chain/tron`);
    await follow(page, 'Cancel');
    await shows(page, 'You have cancelled');
    await follow(page, 'Return to shop.example');
    expect(page.url()).toBe(returnUrl);
    expect(await merchant.view(order)).toEqual(order);
    await page.goBack();
    await follow(page, 'Pay after all');
    await follow(page, /Tron/);
    await press(page, /^Pay exactly/);
    await shows(page, 'Payment detected');
    await merchant.told(order, 'PROCESSING');
    await page.close();
  });

  test('has two tabs, of which one pays and the other follows', async () => {
    const merchant = await shop.merchant();
    const order = await merchant.order();
    const tron = await shop.sharingCustomer();
    const exchange = await tron.context().newPage();
    await tron.goto(`${order.checkoutUrl}/on-chain/tron`);
    // The second tab is opened from the merchant's site again.
    await exchange.goto(returnUrl);
    await exchange.evaluate(`location.href = '${order.checkoutUrl}'`);
    await follow(exchange, /Exchange One/);
    await press(exchange, 'Sign in as test customer');
    // The first tab's form was made earlier and is still valid.
    await press(tron, /^Pay exactly/);
    await shows(tron, 'Payment detected');
    await shows(exchange, 'Payment detected');
    expect(exchange.url()).toBe(order.checkoutUrl);
    await press(exchange, 'Confirm the payment');
    await shows(exchange, 'Payment complete');
    await shows(tron, 'Payment complete');
    const view = await merchant.told(order, 'PROCESSING', 'SUCCEEDED');
    await expectReceipt(tron, view);
    await expectReceipt(exchange, view);
    await Promise.all([tron.close(), exchange.close()]);
  });

  test('pays in a tab that still shows what another has already paid', async () => {
    const merchant = await shop.merchant();
    const order = await merchant.order();
    const page = await shop.sharingCustomer();
    await page.goto(`${order.checkoutUrl}/exchange/EXCHANGE_TWO`);
    await press(page, 'Sign in as test customer');
    await shows(page, 'Confirm at Exchange Two');
    // What the page asks for by itself gets no answer, so that it does not hear of the payment.
    await page.route('**', (route) => (route.request().resourceType() === 'fetch' ? undefined : route.continue()));
    await merchant.happen(order, 'transaction_detected');
    await press(page, 'Pay 10 USDT');
    await shows(page, 'Payment detected');
    await merchant.told(order, 'PROCESSING');
    await page.close();
  });

  test('copies amount and address', async () => {
    const merchant = await shop.merchant();
    const page = await shop.customer({ permissions: ['clipboard-read', 'clipboard-write'] });
    await page.goto(`${(await merchant.order()).checkoutUrl}/on-chain/tron`);
    const address = await fact(page, 'Address');
    // This page itself may not read the clipboard.
    const other = await page.context().newPage();
    await other.goto(returnUrl);
    for (const [name, text] of [
      ['Copy amount', '10'],
      ['Copy address', address],
    ] as const) {
      await page.bringToFront();
      await press(page, name);
      await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor();
      await other.bringToFront();
      expect(await other.evaluate('navigator.clipboard.readText()')).toBe(text);
    }
    await page.context().close();
  });

  test('is not fooled by what a merchant writes', async () => {
    const hostile = '<script>alert(1)</script><img src=x onerror=alert(2)>"\u202e';
    const merchant = await shop.merchant();
    const amount = { value: '10', currency: 'USDT' } as const;
    const imageUrl = 'https://images.example/pot.png';
    const order = await merchant.order({
      description: hostile,
      items: [{ name: hostile, quantity: 1, amount, imageUrl, description: hostile }],
    });
    const page = await shop.sharingCustomer();
    await page.goto(order.checkoutUrl);
    await page.getByText('<img src=x onerror=alert(2)>').first().waitFor();
    expect(await page.locator('img, script:not([src])').count()).toBe(0);
    await page.close();
  });

  test('without JavaScript pays from an exchange and reads the receipt', async () => {
    const merchant = await shop.merchant();
    const order = await merchant.order();
    const page = await shop.customer({ javaScriptEnabled: false });
    await page.goto(order.checkoutUrl);
    await follow(page, /Tron/);
    await page.getByRole('link', { name: 'Look again for the payment' }).click();
    await follow(page, 'Choose another way to pay');
    await follow(page, /Exchange One/);
    await press(page, 'Sign in as test customer');
    await press(page, 'Pay 10 USDT');
    await shows(page, 'Payment detected');
    await merchant.happen(order, 'payment_confirmed');
    await page.getByRole('link', { name: 'Look again' }).click();
    await shows(page, 'Payment complete');
    await expectReceipt(page, await merchant.told(order, 'PROCESSING', 'SUCCEEDED'));
    await page.context().close();
  });

  test.each(['leaves it at that', 'wants to stay'])('is taken back after the payment, and %s', async (what) => {
    const merchant = await shop.merchant();
    const order = await merchant.order();
    await merchant.happen(order, 'transaction_detected');
    const page = await shop.customer();
    await page.clock.install();
    await page.goto(order.checkoutUrl);
    await merchant.happen(order, 'payment_confirmed');
    await page.clock.runFor(4_000);
    await shows(page, 'Payment complete');
    await page
      .getByText(/You go back to shop\.example in [0-9]+ seconds/)
      .first()
      .waitFor();
    await page.clock.runFor(20_000);
    if (what === 'wants to stay') await press(page, 'Stay here');
    await page.clock.runFor(60_000);
    if (what === 'wants to stay') {
      expect(page.url()).toBe(order.checkoutUrl);
      // A customer who comes back to read the receipt is not sent away.
      await page.reload();
      await page.clock.runFor(60_000);
      expect(page.url()).toBe(order.checkoutUrl);
    } else {
      await page.waitForURL(returnUrl);
    }
    await page.context().close();
  });
});

test('every step survives a reload and a restart of the server', async () => {
  const merchant = await shop.merchant();
  const order = await merchant.order();
  const page = await shop.sharingCustomer();

  /** Reloads the page, and restarts the server while the page is open. The page must show the same each time. */
  async function disturb(title: string): Promise<void> {
    await shows(page, title);
    const address = page.url();
    await page.reload();
    await shows(page, title);
    const again = await shop.stop();
    await again();
    await page.reload();
    await shows(page, title);
    expect(page.url()).toBe(address);
  }

  await page.goto(order.checkoutUrl);
  await disturb('Choose how to pay');
  await follow(page, /Tron/);
  await disturb('Send USDT on Tron');
  await follow(page, 'Cancel');
  await disturb('You have cancelled');
  await follow(page, 'Pay after all');
  await follow(page, /Exchange One/);
  await disturb('Sign in to Exchange One');
  await press(page, 'Sign in as test customer');
  await disturb('Confirm at Exchange One');
  await press(page, 'Pay 10 USDT');
  await disturb('Payment detected');
  const again = await shop.stop();
  await page.getByText('There is no connection').waitFor();
  await again();
  await page.getByText('There is no connection').waitFor({ state: 'detached' });
  await press(page, 'Confirm the payment');
  await disturb('Payment complete');
  await expectReceipt(page, await merchant.told(order, 'PROCESSING', 'SUCCEEDED'));
  await page.close();
});
