import { isSameAmount } from './decimals.ts';
import { isObject } from './json.ts';
import { isSameMoment } from './moments.ts';

/**
 * Whether two values of answers mean the same. In which order the fields of an object are written does not matter, nor with how many zeros an
 * amount ends, nor how a time is written: no sentence wants one form of them.
 */
export function isSameValue(one: unknown, other: unknown): boolean {
  if (typeof one === 'string' && typeof other === 'string') {
    // Digits alone may be an id, of which every one counts.
    return isSameMoment(one, other) || ([one, other].some((text) => text.includes('.')) && isSameAmount(one, other));
  }
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((each, index) => isSameValue(each, other[index]));
  }
  if (!isObject(one) || !isObject(other)) return Object.is(one, other);
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSameValue(one[name], other[name]))
  );
}
