import { areaTitles, linkIds } from '../catalogue-links.ts';
import { examplesOf, isObject, operationAreas, operations, schemaOf, schemas, textOf, webhooks } from '../contract.ts';
import { blocks, details, fence, heading, text } from '../markdown.ts';
import { operationFor, operationsTable, shortOperation } from '../operation-pages.ts';
import { fieldTable } from '../schema-fields.ts';
import type { Part } from './part.ts';

/** `operation id=…`: method, path and purpose of one operation, with a link to its page. */
export const operation: Part = {
  options: { id: { values: operations.map(({ id }) => id) } },
  make: ({ id = '' }) => shortOperation(operationFor(id)),
};

/** `operations [area=…]`: the operations as a table. */
export const operationList: Part = {
  options: { area: { values: operationAreas, optional: true } },
  make: ({ area }) =>
    area !== undefined
      ? operationsTable(operations.filter((each) => each.area === area))
      : blocks(
          operationAreas.flatMap((each) => [
            heading(2, areaTitles[each], each),
            operationsTable(operations.filter(({ area: own }) => own === each)),
          ]),
        ),
};

/** `fields schema=…`: every field of a schema. */
export const fields: Part = {
  options: { schema: { values: [...schemas.keys()] } },
  make: ({ schema = '' }) => fieldTable(schemas.get(schema) ?? {}),
};

/** `webhook-events`: every webhook with its fields and examples. */
export const webhookEvents: Part = {
  options: {},
  make: () =>
    blocks(
      webhooks.flatMap(([name, webhook]) => {
        const body = isObject(webhook.requestBody) ? webhook.requestBody : {};
        const schema = schemaOf(body);
        return [
          heading(3, textOf(webhook.summary), name),
          linkIds(text(textOf(webhook.description))),
          schema ? linkIds(fieldTable(schema)) : '',
          ...examplesOf(body).map(([, summary, value]) =>
            details(summary, fence('json', JSON.stringify(value, null, 2))),
          ),
        ];
      }),
    ),
};
