import { addressClasses, jsonTextClasses } from './addresses.ts';
import { characterClasses, lengthClasses } from './characters.ts';
import { decimalClasses } from './decimals.ts';
import { enumerationClasses } from './enumerations.ts';
import { listClasses, numberClasses, presenceClasses } from './presence.ts';
import { timeClasses } from './times.ts';
import type { ValueClass } from './value-class.ts';

/** Every class of values, family by family. A keyword that no class names has no values. */
export const valueClasses: readonly ValueClass[] = [
  ...presenceClasses,
  ...lengthClasses,
  ...characterClasses,
  ...jsonTextClasses,
  ...decimalClasses,
  ...numberClasses,
  ...listClasses,
  ...enumerationClasses,
  ...timeClasses,
  ...addressClasses,
];
