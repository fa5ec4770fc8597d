import type { ServerResponse } from 'node:http';
import { type Received, type Receiver, selfSigned, startReceiver } from '../../webhooks/testing/receiver.ts';

/** Two receivers that accept every webhook: order webhooks by HTTPS, refund webhooks by HTTP. */
export interface Receivers {
  callbackUrl: string;
  notifyUrl: string;
  /** The ids of the events that have arrived. */
  events(): Set<string>;
  /** The ids of events with two attempts under way at the same moment. */
  overlapping: string[];
  close(): Promise<void>;
}

/** Starts the receivers. `takes`: how long each attempt waits for its answer, in milliseconds. */
export async function startReceivers(takes: () => number = () => 0): Promise<Receivers> {
  const underWay = new Set<string>();
  const overlapping: string[] = [];
  const answer = (response: ServerResponse, received: Received) => {
    const event = eventOf(received);
    if (underWay.has(event)) overlapping.push(event);
    underWay.add(event);
    response.once('close', () => underWay.delete(event));
    setTimeout(() => response.end(), takes());
  };
  const secure: Receiver = await startReceiver(answer, await selfSigned());
  const plain: Receiver = await startReceiver(answer);
  return {
    callbackUrl: `https://127.0.0.1:${secure.port}/orders`,
    notifyUrl: `http://127.0.0.1:${plain.port}/refunds`,
    events: () => new Set([...secure.received, ...plain.received].map(eventOf)),
    overlapping,
    close: async () => {
      await Promise.all([secure.close(), plain.close()]);
    },
  };
}

function eventOf({ body }: Received): string {
  const { eventId }: { eventId: string } = JSON.parse(body.toString());
  return eventId;
}
