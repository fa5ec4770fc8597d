import type { Report } from '../run/report.ts';
import { type Verdict, worstFirst } from '../run/verdict.ts';

/** Several implementations beside each other. */
export interface Matrix {
  /** The requirements about which the implementations differ, each with its verdicts in the order of the reports; `undefined`: not judged in that run. */
  requirements: { id: string; level: string; text: string; verdicts: (Verdict | undefined)[] }[];
  /** How many requirements have the same verdict at all of them. */
  alike: number;
  /** The open points that all of them decide alike: what a client may rely on at all of them. */
  reliable: { id: string; value: string }[];
  /** The open points that they decide differently, each with its values in the order of the reports. */
  different: { id: string; question: string; values: string[][] }[];
}

/** Puts several reports beside each other. */
export function matrixOf(reports: readonly Report[]): Matrix {
  const rows = idsOf(reports.map(({ requirements }) => requirements)).map((id) => {
    const found = reports.map(({ requirements }) => requirements.find((each) => each.id === id));
    const first = found.find((each) => each !== undefined);
    return { id, level: first?.level ?? '', text: first?.text ?? '', verdicts: found.map((each) => each?.verdict) };
  });
  const differing = rows.filter(({ verdicts }) => new Set(verdicts.map(said)).size > 1);
  const points = idsOf(reports.map(({ openPoints }) => openPoints)).map((id) => {
    const found = reports.map(({ openPoints }) => openPoints.find((each) => each.id === id));
    return { id, question: found.find((each) => each)?.question ?? '', values: found.map(valuesOf) };
  });
  return {
    requirements: differing.sort((left, right) => gravity(left.verdicts) - gravity(right.verdicts)),
    alike: rows.length - differing.length,
    reliable: points.flatMap(({ id, values }) => {
      const [value] = values[0] ?? [];
      return value !== undefined && values.every((each) => each.length === 1 && each[0] === value)
        ? [{ id, value }]
        : [];
    }),
    different: points.filter(({ values }) => new Set(values.map((each) => each.join(' '))).size > 1),
  };
}

/** A verdict as it counts here: an observation is as good as a pass. */
const said = (verdict: Verdict | undefined) => (verdict === 'observed' ? 'passed' : verdict);

const gravity = (verdicts: readonly (Verdict | undefined)[]): number =>
  Math.min(...verdicts.map((verdict) => (verdict ? worstFirst.indexOf(verdict) : worstFirst.length)));

function idsOf(lists: readonly (readonly { id: string }[])[]): string[] {
  return [...new Set(lists.flat().map(({ id }) => id))];
}

/** The values of the register that a report saw at an open point. */
function valuesOf(point: Report['openPoints'][number] | undefined): string[] {
  return [...new Set(point?.observed.flatMap(({ value }) => value ?? []) ?? [])].sort();
}
