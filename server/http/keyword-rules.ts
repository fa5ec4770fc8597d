import type { Constraint } from '../../generated/catalogue.ts';
import { compareAmounts, isDecimalText } from '../domain/money.ts';
import type { Refusal } from '../services/refusal.ts';
import { valuesAt } from './body-values.ts';
import { findingRefusal } from './findings.ts';

/** Whether a value keeps a bound. */
type Holds = (value: string, bound: string) => boolean;

/** How an amount compares with a bound: -1, 0 or 1. No bound is below 0, so an amount with a sign is below every bound. */
const compare = (value: string, bound: string) => (value.startsWith('-') ? -1 : compareAmounts(value, bound));

/** The constraints for which JSON Schema has no keyword, or a keyword that validators ignore. */
const evaluators: Readonly<Record<string, Holds>> = {
  'x-decimal.minimum': (value, bound) => compare(value, bound) >= 0,
  'x-decimal.maximum': (value, bound) => compare(value, bound) <= 0,
  'x-decimal.exclusiveMaximum': (value, bound) => compare(value, bound) < 0,
  'x-decimal.exclusiveMinimum': (value, bound) => compare(value, bound) > 0,
  contentMediaType: isJson,
};

/**
 * Holds a body against those of an operation's constraints: gives the refusal for the first one that it breaks, and `undefined` when
 * it keeps all of them. The validator has accepted the body, so every value has its form.
 */
export function keywordRules(constraints: readonly Constraint[]): (body: unknown) => Refusal | undefined {
  // Chosen once, because most constraints have no evaluator.
  const rules = constraints.flatMap(({ in: place, path, keyword, value }) => {
    const holds = place === 'body' ? evaluators[keyword] : undefined;
    return holds ? [{ path, keyword, holds, bound: String(value) }] : [];
  });
  return (body) => {
    for (const { path, keyword, holds, bound } of rules) {
      for (const { value, at } of valuesAt(body, path)) {
        if (typeof value !== 'string') continue;
        if (keyword.startsWith('x-decimal') && !isDecimalText(value.replace(/^-/, ''))) continue;
        if (holds(value, bound)) continue;
        const finding = { path: `/body/${at.join('/')}`, message: `breaks ${keyword} ${bound}`, keyword, value };
        return findingRefusal(finding, constraints);
      }
    }
    return undefined;
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
