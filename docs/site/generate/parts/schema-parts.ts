import historySchema from '../../../../conformance/history/history.schema.json' with { type: 'json' };
import reportSchema from '../../../../conformance/reporters/report.schema.json' with { type: 'json' };
import { isObject, type JsonObject, members, textOf } from '../contract.ts';
import { blocks, code, heading, table, text } from '../markdown.ts';
import type { Part } from './part.ts';

/** `history-records`: for each kind of record of a history, its fields and their meaning. */
export const historyRecords: Part = {
  options: {},
  make: () => {
    const records = members(historySchema.$defs).filter(([, { title }]) => title !== undefined);
    return blocks(
      records.flatMap(([name, definition]) => [
        heading(3, textOf(definition.title), name),
        text(textOf(definition.description)),
        fieldTable(definition, historySchema),
      ]),
    );
  },
};

/** `report-fields`: the fields of the JSON report and their meaning. */
export const reportFields: Part = {
  options: {},
  make: () => fieldTable(reportSchema, reportSchema),
};

function fieldTable(definition: JsonObject, schema: JsonObject): string {
  return table(['Field', 'Holds'], rowsOf(definition, schema, ''));
}

/** A row for each field, with those of the objects and lists in it. A field that needs no words stands with its name alone. */
function rowsOf(definition: JsonObject, schema: JsonObject, prefix: string): string[][] {
  const required = Array.isArray(definition.required) ? definition.required : [];
  return members(definition.properties).flatMap(([name, field]) => {
    const target = definitionOf(field, schema);
    const meaning = textOf(field.description) || textOf(target.description);
    const always = field.const === undefined ? '' : ` Always ${code(String(field.const))}.`;
    const optional = prefix !== '' || required.includes(name) ? '' : ', optional';
    const own = [`${code(prefix + name)}${optional}`, `${text(meaning)}${always}`];
    const [inside, mark] = isObject(target.items) ? [definitionOf(target.items, schema), '[]'] : [target, ''];
    return [own, ...(isObject(inside.properties) ? rowsOf(inside, schema, `${prefix}${name}${mark}.`) : [])];
  });
}

/** The definition that a field refers to, or the field itself. */
function definitionOf(field: JsonObject, schema: JsonObject): JsonObject {
  if (field.$ref === undefined) return field;
  const keys = textOf(field.$ref).split('/').slice(1);
  return keys.reduce((found, key) => {
    const below = found[key];
    return isObject(below) ? below : {};
  }, schema);
}
