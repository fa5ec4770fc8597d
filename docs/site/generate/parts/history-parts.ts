import historySchema from '../../../../conformance/history/history.schema.json' with { type: 'json' };
import { isObject, type JsonObject, members, textOf } from '../contract.ts';
import { blocks, code, heading, table, text } from '../markdown.ts';
import type { Part } from './part.ts';

const definitions: JsonObject = historySchema.$defs;

/** `history-records`: for each kind of record of a history, its fields and their meaning. */
export const historyRecords: Part = {
  options: {},
  make: () => {
    const records = members(definitions).filter(([, { title }]) => title !== undefined);
    return blocks(
      records.flatMap(([name, definition]) => [
        heading(3, textOf(definition.title), name),
        text(textOf(definition.description)),
        table(['Field', 'Holds'], rowsOf(definition, '')),
      ]),
    );
  },
};

function rowsOf(definition: JsonObject, prefix: string): string[][] {
  const required = Array.isArray(definition.required) ? definition.required : [];
  return members(definition.properties).flatMap(([name, field]) => {
    const target = definitionOf(field);
    const meaning = textOf(field.description) || textOf(target.description);
    const always = field.const === undefined ? '' : ` Always ${code(String(field.const))}.`;
    const optional = prefix !== '' || required.includes(name) ? '' : ', optional';
    const own = [`${code(prefix + name)}${optional}`, `${text(meaning)}${always}`];
    return [own, ...(isObject(target.properties) ? rowsOf(target, `${prefix}${name}.`) : [])];
  });
}

/** The definition that a field refers to, or the field itself. */
function definitionOf(field: JsonObject): JsonObject {
  if (field.$ref === undefined) return field;
  const keys = textOf(field.$ref).split('/').slice(2);
  return keys.reduce((found, key) => {
    const below = found[key];
    return isObject(below) ? below : {};
  }, definitions);
}
