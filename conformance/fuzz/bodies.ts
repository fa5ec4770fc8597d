import { isObject, type JsonObject, setAt } from '../contract/json.ts';
import { contractOperations } from '../contract/operations.ts';
import { allValues } from '../values/classed-values.ts';
import { hostileBodies } from '../values/hostile.ts';
import { type Dice, diceOf } from './dice.ts';

/** A body with what was done to it. */
export interface FuzzedBody {
  bytes: Buffer;
  /** Names of the changes. */
  changes: string[];
  /** A schema of the contract forbids a value, and nothing else is wrong with the JSON. */
  isForbidden: boolean;
}

/** The bodies of an operation, with the values that can stand in them. */
interface Pool {
  body: JsonObject;
  values: readonly { path: readonly string[]; value: unknown; name: string; isForbidden: boolean }[];
}

export type Bodies = ReturnType<typeof createBodies>;

/** JSON that stands in the place of a value, as it is sent. */
const oddJson: readonly string[] = [
  ...['null', 'true', '{}', '[]', '""', '0', '-0', '-1', '1e400', '1e-400', '0.1e1', '9007199254740993'],
  ...['9'.repeat(400), `"${'9'.repeat(400)}"`, `"1.${'0'.repeat(400)}1"`, `"${'x'.repeat(5_000)}"`],
  ...['"\\u0000"', '"\\ud800"', '"\\udc00\\ud800"', '"\\ufeff"', '"\\u202e\\u2066"', '"\\u0130\\u00df\\ufb01"'],
  ...['"__proto__"', '{"__proto__":{"polluted":true}}', '{"toString":null,"valueOf":1}', '[[[[]]]]', '[null]'],
  ...['"\' or 1=1 --"', '"<script>alert(1)</script>"', '"${jndi:ldap://127.0.0.1/a}"', '"%00%ff"', '"\\r\\nX: y"'],
  ...['"http://127.0.0.1:1/"', '"https://[::1]:65536/"', '"//a"', '"javascript:alert(1)"', '"https://a:b@127.0.0.1/"'],
  ...['"0000-00-00T00:00:00Z"', '"+275760-09-13T00:00:00.001Z"', '"9999-12-31T23:59:60.000Z"', '"Infinity"'],
  ...['['.repeat(2_000) + ']'.repeat(2_000), `${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}`],
];

/** Marks the place of a value that raw JSON replaces. */
const mark = '@fuzz@';

/** The bodies of every operation that has one, chosen from the classes of values of the contract. `seed` decides the values. */
export function createBodies(seed: number) {
  const pools = new Map<string, Pool[]>(
    contractOperations.map(({ name, examples }) => [
      name,
      examples.map((body): Pool => {
        const values = allValues(name, body, diceOf(`${seed} values of ${name}`).number);
        return {
          body,
          values: values.map(({ constraint, value, valueClass, expected, openPoint }) => ({
            path: constraint.path,
            value,
            name: `${constraint.path.join('.')}: ${valueClass.id}`,
            isForbidden: expected === 'refused' && openPoint === undefined,
          })),
        };
      }),
    ]),
  );

  return {
    /** A right body of an operation: an example of the contract with these fields. */
    right: (operation: string, own: JsonObject, dice: Dice): { body: JsonObject; pool: Pool } => {
      const pool = dice.pick(pools.get(operation) ?? []);
      const { callbackUrl, notifyUrl, ...body } = pool.body;
      return { body: { ...body, ...own }, pool };
    },
  };
}

/** A body as JSON, changed in one or more ways. `values` are those of its operation. */
export function fuzzBody(body: JsonObject, values: Pool['values'], dice: Dice): FuzzedBody {
  if (values.length > 0 && dice.chance(0.5)) {
    const { path, value, name, isForbidden } = dice.pick(values);
    const changed = setAt(body, path, value);
    return {
      bytes: Buffer.from(JSON.stringify(changed)),
      changes: [name],
      isForbidden: isForbidden && changed !== body,
    };
  }
  const free = (bytes: Buffer, ...changes: string[]): FuzzedBody => ({ bytes, changes, isForbidden: false });
  const text = JSON.stringify(body);
  const kind = dice.below(100);
  if (kind < 35) {
    const path = dice.pick(placesOf(body));
    const json = dice.pick(oddJson);
    const marked = JSON.stringify(setAt(body, path, mark));
    return free(
      Buffer.from(marked.replace(JSON.stringify(mark), () => json)),
      `${path.join('.')} is ${json.slice(0, 40)}`,
    );
  }
  if (kind < 45) {
    const path = dice.pick(placesOf(body));
    return free(Buffer.from(JSON.stringify(setAt(body, path, undefined))), `${path.join('.')} left out`);
  }
  if (kind < 60) {
    const name = dice.pick([...Object.keys(body), '__proto__', 'constructor', '', 'unknown']);
    const member = `${JSON.stringify(name)}:${dice.pick(oddJson)}`;
    const twice = dice.chance(0.5) ? `{${member},${text.slice(1)}` : `${text.slice(0, -1)},${member}}`;
    return free(Buffer.from(text === '{}' ? `{${member}}` : twice), `a further field ${name}`);
  }
  if (kind < 90) return free(changedBytes(Buffer.from(text), dice), 'bytes of the body');
  if (kind < 95) return free(Buffer.from(text.slice(0, dice.below(text.length))), 'JSON cut short');
  const hostile = dice.pick(hostileBodies(body));
  return free(hostile.bytes, hostile.what);
}

/** A copy of bytes with a few of them changed, added or taken out. */
export function changedBytes(bytes: Buffer, dice: Dice): Buffer {
  let changed = bytes;
  for (let times = 1 + dice.below(4); times > 0; times -= 1) {
    const at = dice.below(changed.length + 1);
    const put = dice.chance(0.3)
      ? Buffer.from(
          dice.pick(['\uFEFF', '\0', '\\u0000', '\\', '"', '{', '}', '[', ',', ':', '\r\n', '\ud83e', '%', 'e9']),
        )
      : Buffer.from([dice.below(256)]);
    changed = Buffer.concat([
      changed.subarray(0, at),
      dice.chance(0.25) ? Buffer.alloc(0) : put,
      changed.subarray(at + dice.below(3)),
    ]);
  }
  return changed;
}

/** The paths of all values of a body, the whole body left out. */
function placesOf(value: unknown, path: readonly string[] = []): string[][] {
  const entries = Array.isArray(value) || isObject(value) ? Object.entries(value) : [];
  const places = entries.flatMap(([name, each]) => [[...path, name], ...placesOf(each, [...path, name])]);
  return path.length === 0 && places.length === 0 ? [['unknown']] : places;
}
