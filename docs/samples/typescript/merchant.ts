// A merchant's requests, with only Node: npx --no-install tsx merchant.ts create|query|checkout|refund …
//
// From the environment: ASSAY_TARGET, the address before /api/v1; ASSAY_MERCHANT_ID, ASSAY_API_KEY, ASSAY_API_SECRET.
import { randomUUID } from 'node:crypto';
import { signatureOf } from './signature.ts';

const { ASSAY_TARGET = '', ASSAY_MERCHANT_ID = '', ASSAY_API_KEY = '', ASSAY_API_SECRET = '' } = process.env;
const merchant = `/api/v1/merchants/${ASSAY_MERCHANT_ID}`;

// #region send
/** Sends a signed request and prints the answer. A code other than 00000 makes the program fail. */
async function send(method: 'GET' | 'POST', path: string, content: { query?: string; body?: string } = {}) {
  const timestamp = String(Date.now());
  const headers = {
    'Content-Type': 'application/json',
    'X-Api-Key': ASSAY_API_KEY,
    'X-Timestamp': timestamp,
    'X-Signature': signatureOf({ timestamp, method, path, ...content }, ASSAY_API_SECRET),
  };
  const { query, body = null } = content;
  const url = ASSAY_TARGET + path + (query ? `?${query}` : '');
  const answer = await fetch(url, { method, headers, body, signal: AbortSignal.timeout(30_000) });
  const text = await answer.text();
  console.log(text);
  if (JSON.parse(text).code !== '00000') process.exitCode = 1;
}
// #endregion send

const inHalfAnHour = () => new Date(Date.now() + 30 * 60_000).toISOString();

// #region create
function create(merchantOrderId = `order-${randomUUID()}`) {
  const order = {
    merchantOrderId,
    orderAmount: { value: '25.50', currency: 'USDT' }, // text, never a number
    expiresAt: inHalfAnHour(),
    returnUrl: 'https://shop.example/thanks',
  };
  return send('POST', `${merchant}/orders`, { body: JSON.stringify(order) });
}
// #endregion create

// #region query
function query(merchantOrderId = '') {
  return send('GET', `${merchant}/orders/${encodeURIComponent(merchantOrderId)}`);
}
// #endregion query

// #region checkout
function checkout(merchantOrderId = `order-${randomUUID()}`) {
  const order = {
    merchantOrderId,
    orderAmount: { value: '25.50', currency: 'USDT' },
    paymentMethodType: 'ON_CHAIN_TRANSFER',
    network: 'tron',
    expiresAt: inHalfAnHour(),
  };
  return send('POST', `${merchant}/checkout/orders`, { body: JSON.stringify(order) });
}
// #endregion checkout

// #region refund
async function refund(orderId = '') {
  const request = {
    merchantRefundOrderId: `refund-${randomUUID()}`,
    acquiringOrderId: orderId, // the platform's id of the order
    refundReason: 'The customer sent it back.',
  };
  await send('POST', `${merchant}/refunds`, { body: JSON.stringify(request) });
  await send('GET', `${merchant}/refunds`, { query: `merchantRefundOrderId=${request.merchantRefundOrderId}` });
}
// #endregion refund

const commands = new Map(Object.entries({ create, query, checkout, refund }));
const [name = '', argument] = process.argv.slice(2);
const command = commands.get(name);
if (!command) throw new Error(`usage: merchant.ts ${[...commands.keys()].join('|')} …`);
await command(argument);
