import { type Choices, openPoints, referenceChoices } from '../../generated/catalogue.ts';
import type { Report } from '../run/report.ts';

/** The choices of a sandbox that decides like the target of a run, and the open points that it decides otherwise, with the reason. */
export interface ObservedChoices {
  choices: Choices;
  /** How many points are decided as the target was seen to decide them. */
  taken: number;
  left: { id: string; why: string }[];
}

/** The choices that a run observed. A point whose choice cannot be taken keeps that of the reference server. */
export function observedChoices(report: Pick<Report, 'openPoints'>): ObservedChoices {
  const found = openPoints.map(({ id, values, reference, selectable, reason }) => {
    const observed = report.openPoints.find((point) => point.id === id)?.observed ?? [];
    const seen = [...new Set(observed.flatMap(({ value }) => value ?? []))];
    const [value] = seen;
    if (observed.length === 0) return { id, why: 'the run did not observe it' };
    if (value === undefined) return { id, why: 'the register has no value for what the run saw' };
    if (seen.length > 1) return { id, why: `the run saw several answers: ${seen.join(', ')}` };
    if (!Object.hasOwn(values, value)) return { id, why: `this version does not know ${value}` };
    if (selectable === false && value !== reference) return { id, why: `it stays ${reference}: ${reason}` };
    return { id, value };
  });
  const taken = found.flatMap(({ id, value }) => (value === undefined ? [] : [[id, value] as const]));
  return {
    choices: { ...referenceChoices, ...Object.fromEntries(taken) },
    taken: taken.length,
    left: found.flatMap(({ id, why }) => (why === undefined ? [] : [{ id, why }])),
  };
}
