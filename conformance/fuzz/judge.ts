import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { contract as control } from '../../generated/sandbox-control-contract.ts';
import { atPointer, atReference, isObject, parseJson } from '../contract/json.ts';
import { matchOperation } from '../contract/operations.ts';
import { percentDecoded } from '../contract/percent-encoding.ts';
import { schemaFaults } from '../contract/schema.ts';
import { successCode } from '../contract/success-code.ts';
import type { WireAnswer } from './connection.ts';
import type { FuzzRequest } from './request.ts';

/** The statuses with which a parser or a guard in front of the contract refuses a request with an odd head. */
const beforeContract = [400, 403, 408, 413, 417, 431];

/** The codes of a failure of the service itself, which no request may cause. */
const failures = ['99999', 'SYSTEM_ERROR'];

const controlBase = '/sandbox/v1';

/** What is wrong about the answer to a request; an empty list when nothing is. `undefined`: no answer came. */
export function problemsOf(request: FuzzRequest, answer: WireAnswer | undefined): string[] {
  if (!answer) return request.raw || request.isOddHead ? [] : ['no answer'];
  const { status } = answer;
  if (status >= 500 || Number.isNaN(status)) return [`HTTP ${status}`];
  if (request.isOddHead && beforeContract.includes(status)) return [];
  if (request.raw) return [];
  const [path = ''] = request.target.split('?', 1);
  return path === controlBase || path.startsWith(`${controlBase}/`)
    ? controlProblems(request, path, answer)
    : contractProblems(request, path, answer);
}

function contractProblems({ method, mustBeRefused }: FuzzRequest, path: string, answer: WireAnswer): string[] {
  const match = matchOperation(method, path);
  if (!match) return [];
  const { operation } = match;
  const schema = operation.answers.get(answer.status);
  if (schema === undefined) return [`${operation.name}: HTTP ${answer.status} is not declared`];
  const body = parseJson(answer.body.toString());
  const [fault] = schemaFaults(body, schema);
  if (fault)
    return [
      `${operation.name}: the body of HTTP ${answer.status} breaks its schema at ${fault.path}: ${fault.keyword}`,
    ];
  const code = String(atPointer(body, '/code'));
  if (failures.includes(code)) return [`${operation.name}: HTTP ${answer.status} with ${code}`];
  return mustBeRefused && code === successCode ? [`${operation.name}: accepted what it must refuse`] : [];
}

const ajv = new Ajv2020({ strict: false });
formats.default(ajv);
ajv.addSchema(control, 'control');

/** The operations of the control API, with a validator for each status. A validator is compiled when it is first needed. */
const controlOperations = Object.entries(isObject(control.paths) ? control.paths : {}).flatMap(([path, item]) =>
  ['get', 'post'].flatMap((method) => {
    const responses = atPointer(item, `/${method}/responses`);
    if (!isObject(responses)) return [];
    const answers = new Map(Object.keys(responses).map((status) => [Number(status), bodyFits(path, method, status)]));
    return [{ method: method.toUpperCase(), template: path.split('/').slice(1), path, answers }];
  }),
);

/** Judges the body of an answer: whether it fits the document. */
function bodyFits(path: string, method: string, status: string): (body: unknown) => boolean {
  let validate: ValidateFunction | undefined;
  const inDocument = `/paths/${path.replaceAll('/', '~1')}/${method}/responses/${status}`;
  return (body) => {
    const response = atPointer(control, inDocument);
    const resolved =
      isObject(response) && typeof response.$ref === 'string' ? atReference(control, response.$ref) : response;
    const [content] = Object.values(Object(atPointer(resolved, '/content')));
    if (!isObject(content)) return body === undefined;
    const reference = atPointer(content, '/schema/$ref');
    validate ??= ajv.compile({ $ref: `control${String(reference)}` });
    return validate(body);
  };
}

function controlProblems({ method, mustBeRefused }: FuzzRequest, path: string, answer: WireAnswer): string[] {
  const segments = path.slice(controlBase.length + 1).split('/');
  const operation = controlOperations.find(
    ({ method: declared, template }) =>
      declared === method &&
      template.length === segments.length &&
      template.every((each, index) => {
        const segment = segments[index] ?? '';
        return each.startsWith('{') ? segment !== '' && percentDecoded(segment) !== undefined : each === segment;
      }),
  );
  if (!operation) return [];
  const { status } = answer;
  const fits = operation.answers.get(status);
  const name = `${method} ${operation.path} of the control API`;
  if (!fits) return [`${name}: HTTP ${status} is not declared`];
  if (!fits(parseJson(answer.body.toString()))) return [`${name}: the body of HTTP ${status} breaks its schema`];
  return mustBeRefused && status < 300 ? [`${name}: accepted what it must refuse`] : [];
}
