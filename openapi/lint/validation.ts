import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { Decimal } from 'decimal.js';
import type { Json, JsonObject } from '../generate/json.ts';

/** The faults of a value against a schema of one document; empty: it is valid. */
export type Faults = (schema: JsonObject, value: Json) => string[];

/** Validates values against schemas of a bundled document, whose references lead into its `components`. */
export function validation(document: JsonObject): Faults {
  const ajv = new Ajv2020({ allErrors: true, strictTypes: false, strictRequired: false });
  formats.default(ajv);
  // int64 says how large a number may grow; JSON has no such type to hold it against.
  ajv.addFormat('int64', true);
  ajv.addVocabulary([
    'components',
    'x-requirement',
    'x-open-point',
    'x-final',
    'x-remedy',
    'x-provoke',
    'x-http-status',
  ]);
  ajv.addKeyword({ keyword: 'x-decimal', type: 'string', schemaType: 'object', validate: isWithin });
  ajv.removeKeyword('contentMediaType');
  ajv.addKeyword({ keyword: 'contentMediaType', type: 'string', schemaType: 'string', validate: isOfType });
  const { components = {} } = document;
  const compiled = new Map<string, ValidateFunction>();
  return (schema, value) => {
    const key = JSON.stringify(schema);
    const validate = compiled.get(key) ?? ajv.compile({ ...schema, components });
    compiled.set(key, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  };
}

/** The bounds are decimal text, of any precision. Text that is no number is for `pattern` to refuse. */
function isWithin(bounds: Record<string, string>, text: string): boolean {
  if (!/^[0-9]+(\.[0-9]+)?$/.test(text)) return true;
  const value = new Decimal(text);
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = bounds;
  return (
    (minimum === undefined || value.gte(minimum)) &&
    (maximum === undefined || value.lte(maximum)) &&
    (exclusiveMinimum === undefined || value.gt(exclusiveMinimum)) &&
    (exclusiveMaximum === undefined || value.lt(exclusiveMaximum))
  );
}

function isOfType(mediaType: string, text: string): boolean {
  if (mediaType !== 'application/json') return true;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
