import { parse, YAMLParseError } from 'yaml';
import { type Choices, type OpenPoint, openPoints, referenceChoices } from '../../generated/catalogue.ts';
import { didYouMean } from '../services/did-you-mean.ts';

/**
 * Reads the choices of a file, with the reference choice at every open point that the file does not name. The file is YAML,
 * a map from the id of an open point to one of its values.
 *
 * @param name the name of the file in errors
 * @throws Error that names the place and the rule
 */
export function readChoices(yaml: string, name: string): Choices {
  try {
    const content: unknown = parse(yaml) ?? {};
    if (typeof content !== 'object' || content === null || Array.isArray(content)) {
      throw new Error('it must be a map from open points to values');
    }
    const named = Object.entries(content).map(([id, value]) => [id, chosenValue(pointNamed(id), value)]);
    return { ...referenceChoices, ...Object.fromEntries(named) };
  } catch (error) {
    const message = error instanceof YAMLParseError ? error.message.split('\n')[0] : String(Object(error).message);
    throw new Error(`${name}: ${message}`);
  }
}

function pointNamed(id: string): OpenPoint {
  const ids = openPoints.map((point) => point.id);
  const point = openPoints.find((each) => each.id === id);
  if (!point) throw new Error(`there is no open point ${id}${didYouMean(id, ids)}`);
  return point;
}

/** The chosen value; a value such as `200` may be written as a number. */
function chosenValue({ id, values, reference, selectable, reason }: OpenPoint, given: unknown): string {
  const value = typeof given === 'number' ? String(given) : given;
  const known = Object.keys(values);
  if (typeof value !== 'string') throw new Error(`${id} must be one of ${known.join(', ')}`);
  if (!known.includes(value)) throw new Error(`${id} cannot be ${value}${didYouMean(value, known)}`);
  if (selectable === false && value !== reference) throw new Error(`${id} stays ${reference}. ${reason}`);
  return value;
}
