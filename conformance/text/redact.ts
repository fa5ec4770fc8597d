import { type Hider, placeholder, secretHider } from './hide-secrets.ts';
import { isSecretField } from './secret-fields.ts';

/**
 * A copy of a JSON value without secrets. They are hidden in every text, because a target may echo a request anywhere, and whatever
 * escapes they are written in. `own` names fields whose texts the runner has written itself: a secret that is an ordinary word is no
 * secret there. Headers and settings are never the runner's own.
 */
export function redact<Value>(value: Value, secrets: Iterable<string>, own?: ReadonlySet<string>): Value {
  return redactor(secrets, own)(value);
}

/** What `redact` does, for many values with the same secrets, which are prepared once. */
export function redactor(
  secrets: Iterable<string>,
  own: ReadonlySet<string> = noFields,
): <Value>(value: Value) => Value {
  const place: Place = { hide: secretHider(secrets), own, strongOnly: false };
  return (value) => redactIn(value, place);
}

const noFields: ReadonlySet<string> = new Set();

/** Fields whose content has names of its own, which are not those of the runner's fields. */
const foreign: ReadonlySet<string> = new Set(['headers', 'configuration']);

interface Place {
  hide: Hider;
  own: ReadonlySet<string>;
  strongOnly: boolean;
}

function redactIn<Value>(value: Value, place: Place): Value;
function redactIn(value: unknown, place: Place): unknown {
  if (typeof value === 'string') return place.hide(value, place);
  if (Array.isArray(value)) return value.map((each) => redactIn(each, place));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      place.hide(key, { strongOnly: true }),
      typeof each === 'string' && isSecretField(key) ? placeholder : redactIn(each, within(place, key)),
    ]),
  );
}

function within(place: Place, key: string): Place {
  if (foreign.has(key)) return { ...place, own: noFields };
  return place.own.has(key) ? { ...place, strongOnly: true } : place;
}

/** The values of environment variables with a name that marks a secret. A program that inherits them may print them. */
export function environmentSecrets(environment: NodeJS.ProcessEnv): string[] {
  return Object.entries(environment).flatMap(([name, value]) =>
    value && /secret|token|password|passwd|credential|(^|_)key($|_)/i.test(name) ? [value] : [],
  );
}
