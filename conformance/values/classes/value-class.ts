import type { Constraint, OpenPointId } from '../../../generated/catalogue.ts';

/** A text with blanks, a tab or a line feed beside it, which careless readers cut off. */
export const besideIt = (text: string): readonly string[] => [
  ...[` ${text}`, `${text} `, `${text}\n`, ` ${text} `],
  ...[`\t${text}`, `${text}\t`, `\n${text}`, `${text}\r\n`],
];

/** A constraint on a request, with a value that keeps it. */
export interface ConstrainedValue {
  constraint: Pick<Constraint, 'keyword' | 'value'> & Partial<Pick<Constraint, 'path'>>;
  /** The value in a right request. Every value of a class is a change of it, or stands in its place. */
  sample: unknown;
  /** The field must be given, wherever the object that holds it is given. */
  isRequired: boolean;
  /** Random numbers from 0 up to 1, from which a class chooses places and characters. The same numbers give the same values. */
  random: () => number;
}

/** The kinds of constraints from which classes are derived. */
export type Family =
  | 'presence'
  | 'type'
  | 'length'
  | 'text'
  | 'decimal'
  | 'number'
  | 'list'
  | 'enumeration'
  | 'time'
  | 'address';

/**
 * A class of values that one mistake of an implementation treats alike. It is defined once, for checks, for random requests and for
 * the documentation.
 */
export interface ValueClass {
  /** The family and a name, such as `decimal.too-many-places`. Permanent. */
  readonly id: `${Family}.${string}`;
  /** The values in a few words that complete `a value that is …`. */
  readonly title: string;
  /** The keywords of the contract from which the class is derived. */
  readonly keywords: readonly string[];
  /** How the values follow from the constraint, in one sentence. */
  readonly derivation: string;
  /** The open point that leaves the class free. Absent: the requirement of the constraint decides. */
  readonly free?: OpenPointId;
  /** The values keep the constraint, and must be taken where the contract binds the edges of the constraint. */
  readonly keeps?: true;
  /** The values for a constraint with one of the keywords. An empty list: the class does not apply to this constraint. */
  make(of: ConstrainedValue): readonly unknown[];
}
