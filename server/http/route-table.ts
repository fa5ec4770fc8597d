import { isDeepStrictEqual } from 'node:util';
import { decodeSegment } from '../signing/request-target.ts';

/** One operation of an OpenAPI document. */
export interface RoutedOperation {
  /** Its `operationId`. */
  id: string;
  /** Its short name, such as `orders.create`; its `operationId` where the document gives no other name. */
  name: string;
  /** Upper case. */
  method: string;
  /** Its path as the document writes it, without the base. */
  path: string;
}

/** What a request is for, as far as its method and path say. */
export interface Route {
  /** `orders`, `refunds`, `checkout`, or `control` for the control API; `undefined` for a path outside of all areas. */
  area: string | undefined;
  /** `undefined` where no operation has this method and this path. */
  operation: RoutedOperation | undefined;
  /** Whether some operation has this path, whatever its method. */
  isKnownPath: boolean;
  /** The values in the path by parameter name; percent-encoding is undone unless it is broken. */
  parameters: Readonly<Record<string, string>>;
  /** The path behind the area's root, as it was sent; `undefined` where the path ends there. */
  rest: string | undefined;
}

/** An OpenAPI document, and where its paths begin. */
export interface RoutedDocument {
  document: { paths?: unknown };
  /** In front of every path of the document. */
  base: string;
  /** The area of all operations of the document; default: what stands before the dot in an operation's short name. */
  area?: string;
  /** Whether HEAD counts as GET, and a slash at the end of a path makes no difference; default: neither. */
  isLenient?: boolean;
}

/** A segment of a path in a document: a text that stands for itself, or the name of a parameter. */
type Segment = { text: string } | { parameter: string };

interface RoutedPath {
  operation: RoutedOperation;
  template: readonly Segment[];
}

interface RoutedArea {
  name: string;
  /** The segments with which all paths of the area begin. */
  root: readonly Segment[];
  /** By the number of segments of their paths. */
  operations: ReadonlyMap<number, readonly RoutedPath[]>;
  isLenient: boolean;
}

/** Decides what a request is for, from its method and its path as it was sent, without the query. */
export type FindRoute = (method: string, path: string) => Route;

const nowhere: Route = { area: undefined, operation: undefined, isKnownPath: false, parameters: {}, rest: undefined };

/**
 * Makes the one table of operations, from the documents that describe them. Everything that depends on the operation of
 * a request asks the route that was found here. Paths are compared letter by letter, as they were sent.
 */
export function routeTable(documents: readonly RoutedDocument[]): FindRoute {
  const areas = documents.flatMap(areasOf);
  return (method, path) => {
    const segments = path.split('/');
    const area = areas.find(({ root }) => beginsWith(segments, root));
    if (!area) return nowhere;
    const { name, root, operations, isLenient } = area;
    const sought = isLenient && method === 'HEAD' ? 'GET' : method;
    const compared = isLenient && segments.at(-1) === '' ? segments.slice(0, -1) : segments;
    const samePath = (operations.get(compared.length) ?? []).filter(({ template }) => beginsWith(compared, template));
    const found = samePath.find(({ operation }) => operation.method === sought);
    return {
      area: name,
      operation: found?.operation,
      isKnownPath: samePath.length > 0,
      parameters: parametersOf(samePath[0]?.template ?? root, segments),
      rest: segments.length > root.length ? segments.slice(root.length).join('/') : undefined,
    };
  };
}

/** The areas of one document. */
function areasOf({ document, base, area, isLenient = false }: RoutedDocument): RoutedArea[] {
  const all = operationsOf(document).map((operation) => ({
    area: area ?? operation.name.split('.', 1)[0] ?? operation.name,
    operation,
    template: templateOf(`${base}${operation.path}`),
  }));
  return [...new Set(all.map((each) => each.area))].map((name) => {
    const operations = all.filter((each) => each.area === name);
    const root = operations.map(({ template }) => template).reduce(commonStart);
    return { name, root, operations: byLength(operations), isLenient };
  });
}

function byLength(paths: readonly RoutedPath[]): ReadonlyMap<number, readonly RoutedPath[]> {
  const lengths = new Set(paths.map(({ template }) => template.length));
  return new Map([...lengths].map((length) => [length, paths.filter(({ template }) => template.length === length)]));
}

/** All operations of a document, without those of its webhooks and callbacks. */
function operationsOf({ paths }: RoutedDocument['document']): RoutedOperation[] {
  return entriesOf(paths).flatMap(([path, item]) =>
    entriesOf(item).flatMap(([method, operation]) => {
      const { operationId: id, 'x-name': name = id } = Object.fromEntries(entriesOf(operation));
      if (typeof id !== 'string' || typeof name !== 'string') return [];
      return [{ id, name, method: method.toUpperCase(), path }];
    }),
  );
}

function templateOf(path: string): readonly Segment[] {
  const segments = path.replace(/\/$/, '').split('/');
  return segments.map((text) => (text.startsWith('{') ? { parameter: text.slice(1, -1) } : { text }));
}

function commonStart(left: readonly Segment[], right: readonly Segment[]): readonly Segment[] {
  const end = left.findIndex((segment, index) => !isDeepStrictEqual(segment, right[index]));
  return end === -1 ? left : left.slice(0, end);
}

/** Whether a path begins with the segments of a template. A parameter stands for any text but an empty one. */
function beginsWith(segments: readonly string[], template: readonly Segment[]): boolean {
  return template.every((expected, index) =>
    'text' in expected ? segments[index] === expected.text : Boolean(segments[index]),
  );
}

function parametersOf(template: readonly Segment[], segments: readonly string[]): Record<string, string> {
  const parameters: Record<string, string> = {};
  for (const [index, expected] of template.entries()) {
    if ('parameter' in expected) parameters[expected.parameter] = decodeSegment(segments[index] ?? '');
  }
  return parameters;
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}
