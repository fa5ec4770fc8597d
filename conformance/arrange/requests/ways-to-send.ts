/** A way to send a create that means the same as every other: merchants have libraries of many kinds. */
export interface WayToSend {
  /** The text of a body. */
  serialize(body: unknown): string;
  /** Writes a header of the request in another way that means the same. Absent: as it is. */
  written?: (name: string, value: string) => readonly [name: string, value: string];
  /** Headers that stand beside those of the contract. */
  further?: Readonly<Record<string, string>>;
  /** The path, written otherwise. */
  address?: (path: string) => string;
  /** Sends the body in two parts, with a pause before each: under its length, or in chunks. */
  inParts?: 'with length' | 'in chunks';
}

/** Headers that browsers, tracers and proxies add, and that change nothing about what a request asks for. */
export const furtherHeaders: Readonly<Record<string, string>> = {
  Accept: 'text/html,application/xhtml+xml,application/json;q=0.9,*/*;q=0.8',
  'Accept-Language': 'pl,en-GB;q=0.8,en;q=0.5',
  'Cache-Control': 'no-cache',
  Cookie: 'session=0123456789abcdef; theme=dark',
  Dnt: '1',
  // A condition that every answer fulfils.
  'If-None-Match': '"assay"',
  Pragma: 'no-cache',
  Priority: 'u=1, i',
  'Sec-Ch-Ua': '"Chromium";v="140", "Not=A?Brand";v="24"',
  'Sec-Ch-Ua-Mobile': '?0',
  'Sec-Ch-Ua-Platform': '"Linux"',
  'Sec-Fetch-Dest': 'empty',
  'Sec-Fetch-Mode': 'cors',
  'Sec-Fetch-Site': 'same-origin',
  Traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  Tracestate: 'assay=1',
  Via: '1.1 proxy.shop.example',
  'X-B3-Sampled': '1',
  'X-B3-Spanid': 'b7ad6b7169203331',
  'X-B3-Traceid': '0af7651916cd43dd8448eb211c80319c',
  'X-Correlation-Id': 'c-17',
  'X-Requested-With': 'XMLHttpRequest',
  'X-Shop': 'a, b; c="d"',
};

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
  { ...plainly, further: furtherHeaders },
];
