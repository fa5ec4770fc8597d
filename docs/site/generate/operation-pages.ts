import { constraints, openPoints, requirements } from '../../../generated/catalogue.ts';
import type { Json } from '../../../generated/contract.ts';
import { address, areaTitles, linkIds, requirementLink } from './catalogue-links.ts';
import {
  examplesOf,
  follow,
  isObject,
  type JsonObject,
  members,
  type Operation,
  operations,
  schemaOf,
  textOf,
} from './contract.ts';
import { errorLink, errorsOf } from './error-codes.ts';
import { blocks, code, details, fence, heading, link, list, table, text } from './markdown.ts';
import { fieldTable, tablesOf } from './schema-fields.ts';

/** The operation of that id. Throws where there is none. */
export function operationFor(id: string): Operation {
  const found = operations.find((each) => each.id === id);
  if (!found) throw new Error(`there is no operation ${id}`);
  return found;
}

export function operationsTable(shown: readonly Operation[]): string {
  return table(
    ['Operation', 'Request', 'What it does'],
    shown.map(({ id, method, path, summary }) => [
      link(code(id), address.operation(id)),
      code(`${method} ${path}`),
      text(summary),
    ]),
  );
}

/** An operation in two lines, for a guide. */
export function shortOperation({ id, method, path, summary }: Operation): string {
  return `**${code(`${method} ${path}`)}**<br>${text(summary)}: ${link(code(id), address.operation(id))}, with all its fields, answers and errors.`;
}

/** The page of one operation. */
export function operationPage(operation: Operation): string {
  const { id, method, path, summary, value, area } = operation;
  const body = isObject(value.requestBody) ? follow(value.requestBody) : undefined;
  return blocks([
    `---\ntitle: ${JSON.stringify(summary)}\ndescription: ${JSON.stringify(`${id}: ${method} ${path}`)}\noutline: [2, 3]\n---`,
    heading(1, `${text(summary)} ${code(id)}`, id),
    fence('http', `${method} ${path}`),
    `${areaTitles[area]} · ${link('in the full reference', `/reference.html#${referenceRoute(operation)}`)}`,
    linkIds(text(textOf(value.description))),
    heading(2, 'Request', 'request'),
    `Signed like every request: see [signing](/signing).${area === 'checkout' ? ` ${code('X-Api-Key')} may be left out here.` : ''}`,
    parameterTable(operation.parameters),
    ...(body ? bodyParts(body, 'The body') : []),
    heading(2, 'Answers', 'answers'),
    ...members(value.responses).flatMap(([status, response]) => answerParts(status, follow(response))),
    heading(3, 'Fields of a failure', 'failure'),
    failureFields(operation),
    heading(2, 'Errors', 'errors'),
    errorTable(area),
    heading(2, 'Requirements', 'requirements'),
    list(requirementsOf(operation).map((each) => `${requirementLink(each.id)} ${each.level}: ${text(each.text)}`)),
    openPointsOf(operation),
  ]);
}

/** Where Redoc puts an operation: a route within the page. */
export function referenceRoute({ value, id }: Operation): string {
  const tag = Array.isArray(value.tags) ? String(value.tags[0]) : '';
  return `/${tag.replaceAll(' ', '-')}/${id}`.toLowerCase();
}

function parameterTable(parameters: readonly JsonObject[]): string {
  if (parameters.length === 0) return '';
  const rows = parameters.map(({ name, in: place, required, description, example }) => [
    code(textOf(name)),
    textOf(place),
    required === true ? 'yes' : 'no',
    linkIds(text(textOf(description))),
    example === undefined ? '' : code(String(example)),
  ]);
  return table(['Parameter', 'In', 'Required', 'Meaning', 'Example'], rows);
}

function bodyParts(body: JsonObject, title: string): string[] {
  const schema = schemaOf(body);
  const examples = examplesOf(body);
  return [
    heading(3, title, 'body'),
    schema ? linkIds(text(textOf(follow(schema).description))) : '',
    schema ? linkIds(fieldTable(schema)) : '',
    ...examples.map(([, summary, value], index) => example(summary, value, index === 0)),
  ];
}

const isFailure = (name: string | undefined) => name?.includes('Failure') === true;

function answerParts(status: string, response: JsonObject): string[] {
  const schema = schemaOf(response);
  const tables = schema ? tablesOf(schema) : [];
  const headers = members(response.headers).map(
    ([name, header]) => `${code(name)}: ${linkIds(text(textOf(header.description)))}`,
  );
  return [
    heading(3, `HTTP ${status}`, `answer-${status}`),
    linkIds(text(textOf(response.description))),
    headers.length > 0 ? list(headers) : '',
    ...tables.filter(([name]) => !isFailure(name)).map(([, fields]) => linkIds(fields)),
    tables.some(([name]) => isFailure(name)) ? `A refusal has the ${link('fields of a failure', '#failure')}.` : '',
    ...examplesOf(response).map(([, summary, value], index) => example(summary, value, index === 0)),
  ];
}

/** The fields of a refusal, which are the same in every answer of an operation. */
function failureFields({ value }: Operation): string {
  const tables = members(value.responses).flatMap(([, response]) => {
    const schema = schemaOf(follow(response));
    return schema ? tablesOf(schema) : [];
  });
  return linkIds(tables.find(([name]) => isFailure(name))?.[1] ?? '');
}

function example(summary: string, value: Json, open: boolean): string {
  const body = fence('json', JSON.stringify(value, null, 2));
  return open ? blocks([`${text(summary)}:`, body]) : details(text(summary), body);
}

function errorTable(area: Operation['area']): string {
  return blocks([
    `An implementation may have others. ${link('The catalogue', '/errors')} says how to provoke each in the sandbox.`,
    table(
      ['Code', 'HTTP', 'Meaning'],
      errorsOf(area).map((error) => [errorLink(error), String(error.httpStatus ?? ''), text(error.meaning)]),
    ),
  ]);
}

/** Requirements that belong to the operation: those that its constraints name, and those named after it. */
function requirementsOf({ name, value }: Operation): typeof requirements {
  const named = new Set<string>(
    constraints.filter(({ operation }) => operation === name).map((each) => each.requirement),
  );
  named.add(textOf(value['x-requirement']));
  for (const [, response] of members(value.responses)) named.add(textOf(response['x-requirement']));
  return requirements.filter(({ id }) => named.has(id) || id.startsWith(`${name}.`));
}

function openPointsOf(operation: Operation): string {
  const own = new Set(requirementsOf(operation).map(({ openPoint }) => openPoint));
  const shown = openPoints.filter(({ id }) => own.has(id));
  if (shown.length === 0) return '';
  return blocks([
    heading(2, 'Left open', 'open-points'),
    list(shown.map(({ id, question }) => `${link(text(question), address.openPoint(id))}`)),
  ]);
}
