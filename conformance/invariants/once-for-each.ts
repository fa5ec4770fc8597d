/** A function that works out its value once for each object, however many invariants ask for it. */
export function onceForEach<Key extends object, Value>(workOut: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, { value: Value }>();
  return (key) => {
    const kept = known.get(key) ?? { value: workOut(key) };
    known.set(key, kept);
    return kept.value;
  };
}
