import type { Constraint } from '../../../generated/catalogue.ts';
import { typeNames } from '../../contract/type-names.ts';

/** The end of a constraint's id where a field has several patterns: the name of one of them, such as `decimal-places`. */
const ofPart = /\.pattern\.([a-z-]+)$/;

/**
 * What a request would be that breaks a constraint of the contract on its body, in words for the title of a check, such as `metadata of
 * more than 4096 characters`. A form that no short words say is named as such: the requirement, which stands beside each title, says it.
 */
export function brokenRule({ id, path, keyword, value }: Constraint): string {
  const steps = path.filter((step) => step !== '*');
  const name = `${path.at(-1) === '*' ? 'an entry of ' : ''}${steps.join('.') || 'a body'}`;
  switch (keyword) {
    case 'required':
      return `a request without ${name}`;
    case 'type':
      return `${name} that is ${[value].flat().map(withoutType).join(' and ')}`;
    case 'minLength':
      return value === 1 ? `an empty ${name}` : `${name} of fewer than ${value} characters`;
    case 'maxLength':
      return `${name} of more than ${value} characters`;
    case 'minItems':
      return value === 1 ? `an empty ${name}` : `${name} of fewer than ${value} entries`;
    case 'maxItems':
      return `${name} of more than ${value} entries`;
    case 'enum':
      return `${name} other than ${[value].flat().join(', ')}`;
    case 'const':
      return `${name} other than ${value}`;
    case 'x-decimal.number':
      return `${name} that is no number`;
    case 'minimum':
    case 'x-decimal.minimum':
      return `${name} below ${value}`;
    case 'maximum':
    case 'x-decimal.maximum':
      return `${name} above ${value}`;
    case 'exclusiveMinimum':
    case 'x-decimal.exclusiveMinimum':
      return `${name} of ${value} or less`;
    case 'contentMediaType':
      return `${name} that is no JSON text`;
    default: {
      const part = ofPart.exec(id)?.[1];
      return `${name} in another form than the contract's${part === undefined ? '' : ` (${part.replaceAll('-', ' ')})`}`;
    }
  }
}

const withoutType = (type: unknown): string => `no ${(typeNames[String(type)] ?? String(type)).replace(/^an? /, '')}`;
