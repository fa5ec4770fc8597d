import {
  type Choices,
  contraryChoices,
  type OpenPointId,
  openPoints,
  referenceChoices,
} from '../../../generated/catalogue.ts';
import type { Variant } from '../stand/fault.ts';

/** The reference server with other choices at open points: every answer is a permitted one. */
export interface ChosenServer extends Variant {
  choices: Choices;
}

const others = openPoints
  .filter(({ id, selectable }) => selectable !== false && id in referenceChoices)
  .map(({ id, values, reference }) => ({ id, others: Object.keys(values).filter((value) => value !== reference) }));

/** One server for each answer that the reference server does not take, and different in nothing else. */
export const singleChoices: readonly (ChosenServer & { openPoint: OpenPointId })[] = others.flatMap((point) =>
  point.others.map((value) => ({
    openPoint: point.id,
    ...chosenServer(`${point.id}-${value}`, `Takes ${value} at ${point.id}.`, { [point.id]: value }),
  })),
);

const most = Math.max(...others.map((point) => point.others.length));

/**
 * As few servers as can take every answer: the first is contrary at every point, and each further one takes the next answer
 * of the points that have one left.
 */
export const coveringChoices: readonly ChosenServer[] = [
  chosenServer('contrary', 'Takes another answer at every point.', contraryChoices),
  ...Array.from({ length: most - 1 }, (_, index) =>
    chosenServer(
      `contrary-${index + 2}`,
      'Takes a further answer at every point that has one.',
      Object.fromEntries(others.map((point) => [point.id, point.others[index + 1]]).filter(([, value]) => value)),
    ),
  ),
];

function chosenServer(id: string, title: string, changes: Partial<Choices>): ChosenServer {
  const choices: Choices = { ...referenceChoices, ...changes };
  return { id, title, choices, make: { parts: (parts) => ({ ...parts, choices }) } };
}
