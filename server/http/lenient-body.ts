import type { BodyField } from './body-fields.ts';

/**
 * Converts a lenient body to the types of the contract (open point `field-forms`): a truth value to its text, numeric text
 * to its number; an optional field that is null is left out. Every number of `value` is already the text of its digits.
 */
export function lenientBody(value: unknown, { types, fields }: BodyField): unknown {
  const entry = fields.get('*');
  if (Array.isArray(value)) return entry ? value.map((each) => lenientBody(each, entry)) : value;
  if (typeof value === 'object' && value !== null) {
    const present = Object.entries(value).filter(([name, each]) => each !== null || !isOptional(fields.get(name)));
    return Object.fromEntries(
      present.map(([name, each]) => {
        const below = fields.get(name);
        return [name, below ? lenientBody(each, below) : each];
      }),
    );
  }
  if (typeof value === 'boolean' && types.has('string')) return String(value);
  if (typeof value === 'string' && types.has('integer') && isNumber(value)) return Number(value);
  return value;
}

function isOptional(field: BodyField | undefined): boolean {
  return field !== undefined && !field.required && !field.types.has('null');
}

function isNumber(text: string): boolean {
  return /^-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$/.test(text);
}
