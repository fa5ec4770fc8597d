import type { SignedRequest } from './signed-client.ts';

/** A way to send a create that means the same as every other: merchants have libraries of many kinds. */
export interface WayToSend {
  /** The text of a body. */
  serialize(body: unknown): string;
  /** How a header is written; absent: as it is. */
  written?: SignedRequest['written'];
}

/** As most libraries send it. */
export const plainly: WayToSend = { serialize: JSON.stringify };

const backwards = (body: unknown): unknown =>
  typeof body === 'object' && body !== null ? Object.fromEntries(Object.entries(body).reverse()) : body;

/** Other ways. */
export const otherWays: readonly WayToSend[] = [
  { serialize: (body) => JSON.stringify(body, null, 2) },
  { serialize: (body) => JSON.stringify(backwards(body)) },
  { ...plainly, written: (name, value) => [name.toUpperCase(), value] },
  {
    ...plainly,
    written: (name, value) => [name, name === 'Content-Type' ? `${value}; charset=utf-8` : value],
  },
];
