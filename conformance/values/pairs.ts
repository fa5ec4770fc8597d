/** A choice for each of some parts: the index of a value of each. */
type Row = readonly number[];

/** Two values of different parts, by the indices of parts and values. */
type Pair = readonly [part: number, value: number, otherPart: number, otherValue: number];

/**
 * Few choices in which every value of each part stands beside every value of each other one. `counts`: how many values each part has. The same
 * counts lead to the same choices.
 */
export function everyPair(counts: readonly number[]): Row[] {
  const uncovered = new Map<string, Pair>();
  for (const [part, values] of counts.entries()) {
    for (const [other, otherValues] of counts.entries()) {
      if (other <= part) continue;
      for (let value = 0; value < values; value += 1) {
        for (let otherValue = 0; otherValue < otherValues; otherValue += 1) {
          const pair: Pair = [part, value, other, otherValue];
          uncovered.set(pair.join(), pair);
        }
      }
    }
  }
  const rows: Row[] = [];
  for (let [first] = uncovered.values(); first; [first] = uncovered.values()) {
    const row = rowWith(first, counts, uncovered);
    for (const [key, [part, value, other, otherValue]] of uncovered) {
      if (row[part] === value && row[other] === otherValue) uncovered.delete(key);
    }
    rows.push(row);
  }
  return rows;
}

/** A choice with this pair that has, part by part, the value with the most pairs that no choice has had. */
function rowWith(
  [part, value, other, otherValue]: Pair,
  counts: readonly number[],
  uncovered: ReadonlyMap<string, Pair>,
) {
  const chosen = new Map([
    [part, value],
    [other, otherValue],
  ]);
  const gainOf = (at: number, candidate: number) =>
    [...chosen].filter(([known, its]) =>
      uncovered.has(known < at ? [known, its, at, candidate].join() : [at, candidate, known, its].join()),
    ).length;
  for (const [at, values] of counts.entries()) {
    if (chosen.has(at)) continue;
    const gains = Array.from({ length: values }, (_, candidate) => gainOf(at, candidate));
    chosen.set(at, gains.indexOf(Math.max(...gains)));
  }
  return counts.map((_, at) => chosen.get(at) ?? 0);
}
