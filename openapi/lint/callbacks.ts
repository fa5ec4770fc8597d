import { follow, isObject, type JsonObject, pointerKeys } from '../generate/json.ts';

/** A callback of an operation, with the runtime expression that says where it goes. */
export interface Callback {
  operation: string;
  expression: string;
  /** What keeps the expression from giving an address; `undefined`: nothing. */
  fault: string | undefined;
}

/** Every callback of a bundled document. An expression has to name a field of the request's body that is a URL. */
export function listCallbacks(document: JsonObject): Callback[] {
  return children(document.paths).flatMap((item) =>
    children(item).flatMap((operation) =>
      children(operation.callbacks).flatMap((callback) =>
        Object.keys(follow(document, callback)).map((expression) => ({
          operation: String(operation.operationId),
          expression,
          fault: faultOf(document, operation, expression),
        })),
      ),
    ),
  );
}

function faultOf(document: JsonObject, operation: JsonObject, expression: string): string | undefined {
  const [, pointer] = expression.match(/^\{\$request\.body#(\/[^{}]+)\}$/) ?? [];
  if (pointer === undefined) return 'is no field of the request body';
  const [content] = children(isObject(operation.requestBody) ? follow(document, operation.requestBody).content : {});
  let schema = content?.schema;
  for (const name of pointerKeys(pointer)) schema = isObject(schema) ? propertyOf(document, schema, name) : undefined;
  if (!isObject(schema)) return 'leads to no field';
  const { type, format } = follow(document, schema);
  if (type !== 'string') return 'leads to a field that is no text';
  return format === 'uri' ? undefined : 'leads to a field that is no URL';
}

/** The schema of a property, which may stand in a part of an `allOf`. */
function propertyOf(document: JsonObject, schema: JsonObject, name: string): JsonObject | undefined {
  const { properties, allOf } = follow(document, schema);
  const own = isObject(properties) ? properties[name] : undefined;
  if (isObject(own)) return own;
  return children(allOf)
    .map((part) => propertyOf(document, part, name))
    .find((found) => found !== undefined);
}

function children(value: unknown): JsonObject[] {
  return Object.values(Object(value)).filter((child): child is JsonObject => isObject(child as JsonObject));
}
