/** From how many requests on something shows as a habit of the target: one check alone makes fewer. */
export const fewest = 20;

/** How many times at least a thing of one kind must be seen before it is no chance any more. */
export const fewestTimes = 10;

/** On how many different orders, merchants, operations or addresses that must be seen at least. */
export const fewestPlaces = 3;

/** Into how many times of equal length a run is divided, to see whether something goes on in all of it or is over after a moment. */
export const times = 10;

/** Milliseconds in seconds, with one decimal place. */
export const seconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(1);

/** How many different values there are. */
export const different = (values: readonly unknown[]): number => new Set(values).size;

/** The values by what `keyOf` says of them, in their order. */
export function grouped<Value>(values: readonly Value[], keyOf: (value: Value) => string): Map<string, Value[]> {
  const groups = new Map<string, Value[]>();
  for (const value of values) {
    const group = groups.get(keyOf(value));
    if (group) group.push(value);
    else groups.set(keyOf(value), [value]);
  }
  return groups;
}
