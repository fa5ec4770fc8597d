import { counted } from '../contract/counted.ts';
import { inline } from '../reporters/markdown-text.ts';
import { version } from '../run/version.ts';
import { printable } from '../text/printable.ts';
import type { Proof, TriedFault } from './prove.ts';

/** The formats of a proof by their names in `--report`. */
export const proofFormats: Readonly<Record<string, (proof: Proof) => string>> = {
  text: textProof,
  json: jsonProof,
  markdown: markdownProof,
};

/** How many faults are named under each reason where the report is read by a person. */
const mostNamed = 5;

/** Faults that have the same reason. */
interface Group {
  reason: string;
  faults: readonly TriedFault['fault'][];
}

/** The faults with this outcome by their reasons, the most frequent reason first. */
function groupsOf({ tried }: Proof, kind: 'passes' | 'left-out'): Group[] {
  const groups = new Map<string, TriedFault['fault'][]>();
  for (const { fault, outcome } of tried) {
    if (outcome.kind === kind) groups.set(outcome.reason, [...(groups.get(outcome.reason) ?? []), fault]);
  }
  return [...groups]
    .map(([reason, faults]) => ({ reason, faults }))
    .toSorted((left, right) => right.faults.length - left.faults.length);
}

/** The numbers of a proof. */
export function countsOf({ tried }: Proof) {
  const count = (is: (outcome: TriedFault['outcome']) => boolean) => tried.filter(({ outcome }) => is(outcome)).length;
  const noticed = count(({ kind }) => kind === 'noticed');
  const passed = count(({ kind }) => kind === 'passes');
  return {
    noticed,
    /** Of them, those by which no check failed, but a MUST stayed without a verdict. */
    unjudged: count((outcome) => outcome.kind === 'noticed' && outcome.unjudged),
    passed,
    leftOut: count(({ kind }) => kind === 'left-out'),
    /** The part that was noticed, in percent. `undefined`: no fault says anything. */
    percent: noticed + passed === 0 ? undefined : (noticed / (noticed + passed)) * 100,
  };
}

/** The proof in one sentence, such as `38 of 40 faults would be noticed; 2 would pass your pipeline: 2 by the baseline`. */
export function sentenceOf(proof: Proof): string {
  const { noticed, passed } = countsOf(proof);
  const groups = groupsOf(proof, 'passes').map(({ reason, faults }) => `${faults.length} ${reason}`);
  const told = `${noticed} of ${counted(noticed + passed, 'fault')} would be noticed`;
  return passed === 0 ? told : `${told}; ${passed} would pass your pipeline: ${groups.join(', ')}`;
}

/** What a reader must know beside the sentence, a sentence each. */
function remarksOf(proof: Proof): string[] {
  const { unjudged } = countsOf(proof);
  const { tried, placeable, notPlaced, redAnyway, stopped, seed } = proof;
  const left = groupsOf(proof, 'left-out').map(({ reason, faults }): [string, number] => [reason, faults.length]);
  return [
    ...(stopped === undefined ? [] : [`Ended before the last fault: ${stopped}.`]),
    ...(tried.length < placeable && stopped === undefined
      ? [`A sample of ${tried.length} of ${counted(placeable, 'fault')}, with the seed ${seed}; --all tries every one.`]
      : []),
    ...(unjudged > 0
      ? [`Of the noticed faults ${unjudged} only keep a MUST without a verdict, which is exit code 3.`]
      : []),
    ...(redAnyway.length > 0
      ? [
          `Without any fault ${redAnyway.length === 1 ? 'a check is' : `${redAnyway.length} checks are`} red already and can notice nothing: ${redAnyway.slice(0, mostNamed).join(', ')}${redAnyway.length > mostNamed ? ', …' : ''}.`,
        ]
      : []),
    ...[...left, ...notPlaced].map(([reason, count]) => `Left out: faults that ${reason} (${count}).`),
  ];
}

/** What a person reads on a terminal. */
export function textProof(proof: Proof): string {
  const groups = groupsOf(proof, 'passes').flatMap(({ reason, faults }) => [
    `\n${faults.length} ${reason}:`,
    ...faults.slice(0, mostNamed).map(({ id, title, caughtBy }) => `  ${id}: ${title} (${caughtBy})`),
    ...(faults.length > mostNamed ? [`  and ${faults.length - mostNamed} more`] : []),
  ]);
  const lines = [sentenceOf(proof), ...groups, ...(groups.length > 0 ? [''] : []), ...remarksOf(proof)];
  return `${lines.map((line) => line.split('\n').map(printable).join('\n')).join('\n')}\n`;
}

function markdownProof(proof: Proof): string {
  const groups = groupsOf(proof, 'passes').map(({ reason, faults }) => {
    const named = faults
      .slice(0, mostNamed)
      .map(({ id, title, caughtBy }) => `- **${inline(id)}**: ${inline(title)} Seen by ${inline(caughtBy)}.`);
    const more = faults.length - mostNamed;
    return `### ${faults.length} ${inline(reason)}\n\n${[...named, ...(more > 0 ? [`- and ${more} more`] : [])].join('\n')}\n`;
  });
  const remarks = remarksOf(proof).map((each) => `- ${inline(each)}`);
  const head = `## Assay: ${inline(sentenceOf(proof))}\n`;
  return [head, ...groups, ...(remarks.length > 0 ? [`${remarks.join('\n')}\n`] : [])].join('\n');
}

function jsonProof(proof: Proof): string {
  const { target, seed, durationMs, placeable, notPlaced, redAnyway, stopped, tried } = proof;
  const grouped = (kind: 'passes' | 'left-out') =>
    groupsOf(proof, kind).map(({ reason, faults }) => ({ reason, count: faults.length }));
  return `${JSON.stringify(
    {
      suite: version,
      target,
      seed,
      durationMs,
      ...countsOf(proof),
      passes: grouped('passes'),
      leftOutFor: grouped('left-out'),
      placeable,
      notPlaced: [...notPlaced].map(([reason, count]) => ({ reason, count })),
      redAnyway,
      ...(stopped !== undefined && { stopped }),
      faults: tried.map(({ fault: { id, title, breaks, caughtBy }, outcome: { kind, ...details } }) => ({
        ...{ id, title, breaks, caughtBy, outcome: kind },
        ...details,
      })),
    },
    null,
    2,
  )}\n`;
}
