import { Agent, request } from 'node:https';
import { connect } from 'node:net';
import type { Send } from '../../../server/services/delivery/deliver.ts';

/** The beginning of a TLS record that holds a ClientHello: enough for the receiver to wait for its rest. */
const beginningOfHandshake = Buffer.from([22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3]);

/**
 * A sender that keeps its connections, as Go's client does: where one is free, the webhook goes over it, and a new connection that was begun
 * at the same time is broken off before it is secure. `send` takes the webhooks to addresses without TLS.
 */
export function overKeptConnections(): (webhook: Parameters<Send>[0], send: Send) => ReturnType<Send> {
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  return (webhook, send) => {
    if (!/^https:\/\/127\.0\.0\.1/i.test(webhook.url)) return send(webhook);
    return new Promise((resolve) => {
      const { url, headers, body } = webhook;
      const outgoing = request(url, { method: 'POST', headers, agent, signal: AbortSignal.timeout(5000) }, (answer) => {
        answer.resume();
        resolve({ httpStatus: answer.statusCode ?? 0 });
      });
      // A kept connection that the receiver closes at this moment says nothing about the webhook.
      outgoing.on('error', ({ message }) => resolve(outgoing.reusedSocket ? send(webhook) : { error: message }));
      outgoing.on('socket', () => {
        if (outgoing.reusedSocket) breakOff(Number(new URL(url).port));
      });
      outgoing.end(body);
    });
  };
}

function breakOff(port: number): void {
  const surplus = connect(port, '127.0.0.1', () => surplus.write(beginningOfHandshake, () => surplus.destroy()));
  surplus.on('error', () => undefined);
}
