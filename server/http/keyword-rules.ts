import type { Constraint } from '../../generated/catalogue.ts';
import { compareAmounts, isDecimalText } from '../domain/money.ts';
import type { Refusal } from '../services/refusal.ts';
import { valuesAt } from './body-values.ts';
import { findingRefusal } from './findings.ts';

interface Evaluator {
  holds(value: string, bound: string): boolean;
  /** The duty of a value, in the words in front of the bound. */
  must: string;
}

/** How an amount compares with a bound: -1, 0 or 1. No bound is below 0, so an amount with a sign is below every bound. */
const compare = (value: string, bound: string) => (value.startsWith('-') ? -1 : compareAmounts(value, bound));

/** The constraints for which JSON Schema has no keyword, or a keyword that validators ignore. */
const evaluators: Readonly<Record<string, Evaluator>> = {
  'x-decimal.minimum': { holds: (value, bound) => compare(value, bound) >= 0, must: 'be at least' },
  'x-decimal.maximum': { holds: (value, bound) => compare(value, bound) <= 0, must: 'be at most' },
  'x-decimal.exclusiveMaximum': { holds: (value, bound) => compare(value, bound) < 0, must: 'be below' },
  'x-decimal.exclusiveMinimum': { holds: (value, bound) => compare(value, bound) > 0, must: 'be above' },
  contentMediaType: { holds: isJson, must: 'be text of the type' },
};

/**
 * The refusal for the first of those constraints that a body breaks; `undefined` when it keeps all of them. The validator
 * has accepted the body, so every value has its form.
 *
 * @param constraints those of the request's operation
 */
export function keywordRefusal(body: unknown, constraints: readonly Constraint[]): Refusal | undefined {
  for (const constraint of constraints) {
    const { path, keyword } = constraint;
    const evaluator = constraint.in === 'body' ? evaluators[keyword] : undefined;
    if (!evaluator) continue;
    const bound = String(constraint.value);
    for (const { value, at } of valuesAt(body, path)) {
      if (typeof value !== 'string') continue;
      if (keyword.startsWith('x-decimal') && !isDecimalText(value.replace(/^-/, ''))) continue;
      if (evaluator.holds(value, bound)) continue;
      const finding = { path: `/body/${at.join('/')}`, message: `must ${evaluator.must} ${bound}`, keyword };
      return findingRefusal(finding, constraints);
    }
  }
  return undefined;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
