/** A way to send a create that means the same as every other: merchants have libraries of many kinds. */
export interface WayToSend {
  /** The text of a body. */
  serialize(body: unknown): string;
  /** Writes a header of the request in another way that means the same. Absent: as it is. */
  written?: (name: string, value: string) => readonly [name: string, value: string];
}

/** As most libraries send it. */
export const plainly: WayToSend = { serialize: JSON.stringify };

const backwards = (body: unknown): unknown =>
  typeof body === 'object' && body !== null ? Object.fromEntries(Object.entries(body).reverse()) : body;

/** Every way. */
export const everyWay: readonly [WayToSend, ...WayToSend[]] = [
  plainly,
  { serialize: (body) => JSON.stringify(body, null, 2) },
  { serialize: (body) => JSON.stringify(backwards(body)) },
  { ...plainly, written: (name, value) => [name.toUpperCase(), value] },
  {
    ...plainly,
    written: (name, value) => [name, name === 'Content-Type' ? `${value}; charset=utf-8` : value],
  },
];
