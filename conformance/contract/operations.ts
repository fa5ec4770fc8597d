import type { Area } from '../../generated/catalogue.ts';
import { contract } from '../../generated/contract.ts';
import { atPointer, atReference, isObject, type JsonObject } from './json.ts';
import { percentDecoded } from './percent-encoding.ts';

/** The areas that have operations. */
export type OperationArea = Extract<Area, 'orders' | 'refunds' | 'checkout'>;

/** One of the contract's eight operations, as the document describes it. */
export interface ContractOperation {
  /** The `operationId` in the contract, such as `createOrder`. */
  readonly id: string;
  /** The name in the contract (`x-name`), such as `orders.create`. */
  readonly name: string;
  /** What it does, such as `Create a hosted order`. */
  readonly title: string;
  readonly area: OperationArea;
  readonly method: string;
  /** The path with its parameters in braces. */
  readonly path: string;
  /** JSON pointer to the schema of the request body. Absent: the operation has no body. */
  readonly bodySchema?: string;
  /** The JSON pointer to the schema of the answer, for each declared HTTP status. */
  readonly answers: ReadonlyMap<number, string>;
  /** The example bodies of the request. */
  readonly examples: readonly JsonObject[];
}

const areas: readonly OperationArea[] = ['orders', 'refunds', 'checkout'];

/** The eight operations, in the contract's order. */
export const contractOperations: readonly ContractOperation[] = Object.entries(object(contract.paths)).flatMap(
  ([path, item]) =>
    Object.entries(object(item)).flatMap(([method, operation]) => {
      const name = object(operation)['x-name'];
      return typeof name === 'string' ? [readOperation(name, method.toUpperCase(), path, object(operation))] : [];
    }),
);

function readOperation(name: string, method: string, path: string, operation: JsonObject): ContractOperation {
  const area = areas.find((each) => name.startsWith(`${each}.`));
  if (!area) throw new Error(`the operation ${name} belongs to no area`);
  const body = atPointer(operation, '/requestBody/content/application~1json/schema/$ref');
  const answers = Object.entries(object(operation.responses)).flatMap(([status, answer]) => {
    const schema = atPointer(resolve(answer), '/content/application~1json/schema/$ref');
    return typeof schema === 'string' ? [[Number(status), schema.slice(1)] as const] : [];
  });
  const examples = Object.values(object(atPointer(operation, '/requestBody/content/application~1json/examples')));
  return {
    id: String(operation.operationId),
    name,
    title: String(operation.summary),
    area,
    method,
    path,
    ...(typeof body === 'string' && { bodySchema: body.slice(1) }),
    answers: new Map(answers),
    examples: examples.map((example) => object(resolve(example)).value).filter(isObject),
  };
}

/** The value that a `$ref` leads to. A value that is no reference is returned as it is. */
function resolve(value: unknown): unknown {
  const reference = isObject(value) ? value.$ref : undefined;
  return typeof reference === 'string' ? atReference(contract, reference) : value;
}

function object(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** The operation of this name. Throws when the contract has none, which is a fault of the runner. */
export function contractOperation(name: string): ContractOperation {
  const found = contractOperations.find((each) => each.name === name);
  if (!found) throw new Error(`the contract has no operation ${name}`);
  return found;
}

/** The operation that a request is for, with the parameters of its path decoded. */
export interface OperationMatch {
  operation: ContractOperation;
  parameters: Readonly<Record<string, string>>;
}

/**
 * The operation that a method and a path belong to. `path` has no prefix and no query. `undefined`: the request is for none
 * of the eight operations, or the percent-encoding of a parameter is broken.
 */
export function matchOperation(method: string, path: string): OperationMatch | undefined {
  const segments = path.split('/');
  for (const { operation, steps } of templates) {
    if (operation.method !== method || steps.length !== segments.length) continue;
    if (steps.some(({ text, name }, index) => name === undefined && text !== segments[index])) continue;
    const parameters = readParameters(steps, segments);
    if (parameters) return { operation, parameters };
  }
  return undefined;
}

/** A segment of an operation's path: a text, or the name of a parameter. */
interface Step {
  text: string;
  name?: string | undefined;
}

/** The operations with the segments of their paths, which every request of a run is held against. */
const templates = contractOperations.map((operation) => ({
  operation,
  steps: operation.path.split('/').map((text): Step => ({ text, name: /^\{(.+)\}$/.exec(text)?.[1] })),
}));

/** The parameters of a path, decoded. `undefined`: one is empty, or its percent-encoding is broken. */
function readParameters(
  steps: readonly Step[],
  segments: readonly string[],
): Readonly<Record<string, string>> | undefined {
  const parameters: Record<string, string> = {};
  for (const [index, { name }] of steps.entries()) {
    if (name === undefined) continue;
    const value = percentDecoded(segments[index] ?? '');
    if (value === undefined || value === '') return undefined;
    parameters[name] = value;
  }
  return parameters;
}
