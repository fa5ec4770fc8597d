/** Markup that is safe to send: only `html` creates it, and `html` escapes every text that is inserted. */
export class Html {
  readonly #markup: string;

  constructor(strings: TemplateStringsArray, values: readonly HtmlValue[]) {
    this.#markup = String.raw({ raw: strings }, ...values.map(markupOf));
  }

  toString(): string {
    return this.#markup;
  }
}

/** The values allowed in a template. Absent values and `false` are rendered as nothing. */
export type HtmlValue = Html | string | number | false | undefined | readonly HtmlValue[];

/** A template whose values are escaped, both for text and for attributes in double quotes. */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(strings, values);
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function markupOf(value: HtmlValue): string {
  if (value === undefined || value === false) return '';
  if (value instanceof Html) return value.toString();
  if (typeof value === 'string' || typeof value === 'number') {
    return String(value).replace(/[&<>"']/g, (character) => escapes[character] ?? '');
  }
  return value.map(markupOf).join('');
}
