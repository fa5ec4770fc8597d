import { follow, isObject, type Json, type JsonObject, pointerStep } from '../generate/json.ts';

/** A value that a document describes by a schema: a body, or a parameter or header. */
export interface Content {
  /** JSON pointer of the place; behind a reference it goes on as if the target stood there. */
  place: string;
  kind: 'body' | 'parameter';
  /** The tags of the operation. */
  tags: string[];
  schema: JsonObject;
  examples: { name: string; value: Json }[];
}

/** Everything that a bundled document describes by a schema, in its paths, webhooks and callbacks. */
export function listContents(document: JsonObject): Content[] {
  const found: Content[] = [];
  const visit = (node: Json, place: string, tags: string[], parent: string): void => {
    if (Array.isArray(node))
      for (const [index, child] of node.entries()) visit(child, `${place}/${index}`, tags, parent);
    if (!isObject(node)) return;
    const target = follow(document, node);
    const here = isObject(target.responses) && Array.isArray(target.tags) ? target.tags.map(String) : tags;
    const { schema, example, examples, ...rest } = target;
    if (isObject(schema)) {
      const kind = parent === 'content' ? 'body' : 'parameter';
      found.push({ place, kind, tags: here, schema, examples: listExamples(document, target) });
    }
    for (const [key, child] of Object.entries(rest)) {
      visit(child, `${place}/${pointerStep(key)}`, here, place.split('/').at(-1) ?? '');
    }
  };
  for (const root of ['paths', 'webhooks']) visit(document[root] ?? {}, `/${root}`, [], '');
  return found;
}

function listExamples(document: JsonObject, { example, examples }: JsonObject): Content['examples'] {
  const named = Object.entries(isObject(examples) ? examples : {}).flatMap(([name, each]) => {
    const { value } = isObject(each) ? follow(document, each) : {};
    return value === undefined ? [] : [{ name, value }];
  });
  return example === undefined ? named : [{ name: 'example', value: example }, ...named];
}
