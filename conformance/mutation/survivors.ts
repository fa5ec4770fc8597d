import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { type OpenPointId, openPoints } from '../../generated/catalogue.ts';
import type { Mutant } from './instrument.ts';

/** Why a mutant survives. `hole`: the suite should find it and does not. */
export const survivorKinds = ['equivalent', 'permitted', 'out-of-sight', 'hole'] as const;

export type SurvivorKind = (typeof survivorKinds)[number];

/** A change that survives, by the text around it, so that the entry ends when the code is changed. */
export interface Change {
  /** The first line of the changed place, without its indentation. */
  in: string;
  code: string;
  to: string;
  /** Which of several like changes in the file, counted from 1. Absent: the first. */
  nth?: number;
}

/** Mutants of a file that survive for one reason. */
export interface Entry {
  kind: SurvivorKind;
  /** The open point that permits them. */
  openPoint?: OpenPointId;
  reason: string;
  file: string;
  mutants: Change[];
}

const text = { type: 'string', minLength: 1 };
const change = {
  type: 'object',
  properties: { in: text, code: text, to: { type: 'string' }, nth: { type: 'integer', minimum: 2 } },
  required: ['in', 'code', 'to'],
  additionalProperties: false,
};
const schema = {
  type: 'array',
  items: {
    type: 'object',
    properties: {
      kind: { enum: survivorKinds },
      openPoint: { enum: openPoints.map(({ id }) => id) },
      reason: text,
      file: text,
      mutants: { type: 'array', items: change, minItems: 1 },
    },
    required: ['kind', 'reason', 'file', 'mutants'],
    oneOf: [
      { properties: { kind: { const: 'permitted' } }, required: ['openPoint'] },
      { properties: { kind: { not: { const: 'permitted' } }, openPoint: false } },
    ],
    additionalProperties: false,
  },
};

/** The folder with the survivors that were read, a file for each room of the server. */
const folder = fileURLToPath(new URL('./survivors', import.meta.url));

/** Reads the survivors that somebody has judged. Throws an error that names the file and its first fault. */
export function readSurvivors(): Entry[] {
  const ajv = new Ajv2020({ strict: false });
  const isEntries = ajv.compile<Entry[]>(schema);
  return readdirSync(folder)
    .toSorted()
    .flatMap((name) => {
      const content: unknown = parse(readFileSync(join(folder, name), 'utf8'));
      if (isEntries(content)) return content;
      throw new Error(`${name}: ${ajv.errorsText(isEntries.errors)}`);
    });
}

/** The survivors of a build by the mutant's id, and the entries that describe no mutant of it. */
export interface KnownSurvivors {
  byId: ReadonlyMap<string, Entry>;
  /** Changes that the source no longer permits, or that stand in the file twice. */
  stale: string[];
}

/** Finds the mutants that the entries describe. */
export function matchSurvivors(entries: readonly Entry[], mutants: readonly Mutant[]): KnownSurvivors {
  const ids = new Map(changesOf(mutants).map(({ mutant, change: each }) => [keyOf(mutant.file, each), mutant.id]));
  const byId = new Map<string, Entry>();
  const stale: string[] = [];
  for (const entry of entries) {
    for (const each of entry.mutants) {
      const id = ids.get(keyOf(entry.file, each));
      if (id === undefined || byId.has(id)) stale.push(`${entry.file}: ${each.code} → ${each.to}, in ${each.in}`);
      else byId.set(id, entry);
    }
  }
  return { byId, stale };
}

/** Each mutant with the change by which an entry describes it. */
export function changesOf(mutants: readonly Mutant[]): { mutant: Mutant; change: Change }[] {
  const seen = new Map<string, number>();
  return mutants.map((mutant) => {
    const first: Change = { in: mutant.within, code: mutant.code, to: mutant.replacement };
    const nth = (seen.get(keyOf(mutant.file, first)) ?? 0) + 1;
    seen.set(keyOf(mutant.file, first), nth);
    return { mutant, change: nth === 1 ? first : { ...first, nth } };
  });
}

/** What tells a change from all others of the build. */
export const keyOf = (file: string, { in: within, code, to, nth = 1 }: Change) =>
  JSON.stringify([file, within, code, to, nth]);
