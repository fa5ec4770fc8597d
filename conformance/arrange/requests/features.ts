import { isDecimalText } from '../../contract/decimals.ts';
import { isObject } from '../../contract/json.ts';

/** What tells one id from another by its form: code, indexes and addresses may treat such ids otherwise. */
const forms: readonly (readonly [name: string, form: RegExp])[] = [
  ['an id of digits', /^\d+$/],
  ['an id that reads as a number with an exponent', /^\d+e\d+$/i],
  ['an id with letters beyond ASCII', /[^\p{ASCII}]/u],
  ['an id with capital letters', /[A-Z]/],
  ['an id that begins with a sign', /^[_-]/],
  ['a long id', /^.{60}/],
  ['a short id', /^.{0,16}$/],
];

/** From and below which amounts differ from usual ones. */
const [large, small] = [1_000_000, 0.001];

function featuresOfAmount(text: string): string[] {
  const amount = Number(text);
  const places = text.split('.')[1]?.length ?? 0;
  return [
    ...(amount >= large ? ['a large amount'] : []),
    ...(amount < small ? ['a small amount'] : []),
    ...(places > 6 ? ['an amount of many places'] : []),
  ];
}

/**
 * In what a thing that was made may differ from others, by its create: the fields that it has, the forms of its ids, and the kinds of its amounts.
 * `amount`: of what it is, as decimal text, where its create does not say that.
 */
export function featuresOf(request: object, amount?: string): string[] {
  const features = Object.entries(request).flatMap(([name, value]: [string, unknown]) => {
    const isId = /OrderId$/.test(name) && typeof value === 'string';
    const ofId = isId ? forms.flatMap(([words, form]) => (form.test(value) ? [`${words} in ${name}`] : [])) : [];
    const inner = isObject(value) && typeof value.value === 'string' ? value : undefined;
    const ofAmount = isDecimalText(inner?.value) ? featuresOfAmount(inner.value) : [];
    return [name, ...ofId, ...ofAmount, ...(inner ? [String(inner.currency)] : [])];
  });
  return [...new Set([...features, ...(isDecimalText(amount) ? featuresOfAmount(amount) : [])])];
}
