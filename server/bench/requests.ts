import { type Credentials, signedHeaders } from '../tests/support/signing.ts';

let created = 0;

/** A merchantOrderId that has not been used before in this run. */
export function newOrderId(): string {
  created += 1;
  return `bench-new-${String(created).padStart(12, '0')}`;
}

/** The merchantOrderId of an order that the merchant had from the start. These orders are counted from 1. */
export function orderIdOf(number: number): string {
  return `bench-order-${String(number).padStart(12, '0')}`;
}

/** The body of a merchant's create request: 10 USDT, open for a day. */
export function orderRequest(merchantOrderId: string) {
  return {
    merchantOrderId,
    orderAmount: { value: '10', currency: 'USDT' },
    expiresAt: new Date(Date.now() + 86_400_000).toISOString(),
    returnUrl: 'https://shop.example/return',
  } as const;
}

/** A signed create of a hosted order, as it goes over the wire. It must be sent within five minutes. */
export function createRequest(merchant: Credentials, merchantOrderId: string): Buffer {
  return wire(merchant, 'POST', ordersPath(merchant), JSON.stringify(orderRequest(merchantOrderId)));
}

/** A signed query of a hosted order, as it goes over the wire. It must be sent within five minutes. */
export function queryRequest(merchant: Credentials, merchantOrderId: string): Buffer {
  return wire(merchant, 'GET', `${ordersPath(merchant)}/${merchantOrderId}`);
}

function ordersPath({ merchantId }: Credentials): string {
  return `/api/v1/merchants/${merchantId}/orders`;
}

function wire(merchant: Credentials, method: string, target: string, body?: string): Buffer {
  const headers = {
    Host: '127.0.0.1',
    ...(body === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': String(body.length) }),
    ...signedHeaders(merchant, { method, target, body, timestamp: String(Date.now()) }),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body ?? ''}`);
}
