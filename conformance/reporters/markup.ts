import { printableLines } from '../text/printable.ts';

/** HTML or XML that is safe to show. Only `markup` makes it, and it escapes every text that is put into it. */
export class Markup {
  readonly #text: string;

  constructor(strings: TemplateStringsArray, values: readonly MarkupValue[]) {
    this.#text = String.raw({ raw: strings }, ...values.map(textOf));
  }

  toString(): string {
    return this.#text;
  }
}

/** A value in a template. Absent values and `false` become empty text. */
export type MarkupValue = Markup | string | number | false | undefined | null | readonly MarkupValue[];

/** A template whose values are escaped, for text and for attributes in double quotes. Control characters become visible. */
export function markup(strings: TemplateStringsArray, ...values: readonly MarkupValue[]): Markup {
  return new Markup(strings, values);
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function textOf(value: MarkupValue): string {
  if (value === undefined || value === null || value === false) return '';
  if (value instanceof Markup) return value.toString();
  if (typeof value === 'string' || typeof value === 'number') {
    return printableLines(String(value)).replace(/[&<>"']/g, (character) => escapes[character] ?? '');
  }
  return value.map(textOf).join('');
}
