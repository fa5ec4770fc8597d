import { decodeSegment } from '../signing/request-target.ts';

/** What a request is about, as far as its path says. */
export interface Place {
  /** `orders`, `refunds`, `checkout`, or `control` for the control API. */
  area: string | undefined;
  /** The operation's short name in its document. */
  operation: string | undefined;
  merchantId: string | undefined;
}

const nowhere: Place = { area: undefined, operation: undefined, merchantId: undefined };

/** An OpenAPI document, and where its paths begin. */
export interface Described {
  document: { paths?: unknown };
  /** In front of every path of the document. */
  base: string;
  /** The area of all its operations; default: what stands before the dot in the operation's name. */
  area?: string;
}

interface Operation {
  method: string;
  path: RegExp;
  name: string;
  area: string;
}

/** Looks up what a request is about, also one that is refused before it reaches its operation. */
export function operationIndex(described: readonly Described[]): (method: string, path: string) => Place {
  const operations = described.flatMap(operationsOf);
  const areas = new Set(operations.map(({ area }) => area));
  const controlBases = described.flatMap(({ base, area }) => (area === undefined ? [] : [{ base, area }]));

  return (method, path) => {
    const segment = /^\/api\/v1\/merchants\/[^/]+\/([^/]+)/.exec(path)?.[1];
    const area =
      controlBases.find(({ base }) => path === base || path.startsWith(`${base}/`))?.area ??
      (segment !== undefined && areas.has(segment) ? segment : undefined);
    if (area === undefined) return nowhere;
    const merchant = /\/merchants\/([^/]+)/.exec(path)?.[1];
    return {
      area,
      operation: operations.find((each) => each.method === method && each.path.test(path))?.name,
      merchantId: merchant && decodeSegment(merchant),
    };
  };
}

function operationsOf({ document, base, area }: Described): Operation[] {
  return entriesOf(document.paths).flatMap(([path, item]) => {
    const pattern = `${base}${path}`
      .replace(/\/$/, '')
      .replaceAll('.', '\\.')
      .replace(/\{\w+\}/g, '[^/]+');
    return entriesOf(item).flatMap(([method, operation]) => {
      const fields = Object.fromEntries(entriesOf(operation));
      const name = fields['x-name'] ?? fields.operationId;
      if (typeof name !== 'string') return [];
      const [first = name] = name.split('.');
      return [{ method: method.toUpperCase(), path: new RegExp(`^${pattern}/?$`), name, area: area ?? first }];
    });
  });
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}
