import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { signatureMistakes as allMistakes } from '../../../../generated/catalogue.ts';
import { contract, type Json } from '../../../../generated/contract.ts';
import { rootFolder } from '../../folders.ts';
import { openPointLink } from '../catalogue-links.ts';
import { isObject, objects, textOf, texts } from '../contract.ts';
import { blocks, code, details, fence, table, text } from '../markdown.ts';
import type { Part } from './part.ts';

/** `signature-components`: the contract's table of the components of the signature string. */
export const signatureComponents: Part = {
  options: {},
  make: () => {
    const components = isObject(contract.components) ? contract.components : {};
    const schemes = isObject(components.securitySchemes) ? components.securitySchemes : {};
    const scheme = isObject(schemes.Signature) ? schemes.Signature : {};
    const description = textOf(scheme.description);
    const rows = description.split('\n').filter((line) => line.startsWith('|'));
    if (rows.length === 0) throw new Error('the security scheme Signature has no table of components');
    return rows.join('\n');
  },
};

/** `signature-mistakes`: the known mistakes in making a signature, and their cures. */
export const signatureMistakes: Part = {
  options: {},
  make: () =>
    table(
      ['Mistake', 'What went wrong', 'Cure'],
      allMistakes.map(({ code: value, what, cure }) => [code(value), text(what), text(cure)]),
    ),
};

/** `signature-vectors`: every worked vector with its intermediate values. */
export const signatureVectors: Part = {
  options: {},
  make: () => {
    const file = join(rootFolder, 'openapi/vectors/vectors.json');
    const { vectors }: { vectors?: Json } = JSON.parse(readFileSync(file, 'utf8'));
    return blocks(
      objects(vectors).map((vector) => {
        const openPoint = textOf(vector.openPoint);
        return details(
          `${code(textOf(vector.id))} ${textOf(vector.title)}`,
          blocks([
            openPoint ? `The rule is left open: ${openPointLink(openPoint)}.` : '',
            ...steps.flatMap(([key, title, language]) => {
              const value = vector[key];
              const shown = Array.isArray(value) ? texts(value).join('\n') : typeof value === 'string' ? value : '';
              return shown === '' ? [] : [`${title}:`, fence(language, shown)];
            }),
          ]),
        );
      }),
    );
  },
};

const steps: readonly [key: string, title: string, language: string][] = [
  ['secret', 'API secret', 'text'],
  ['timestamp', 'Timestamp', 'text'],
  ['method', 'Method', 'text'],
  ['path', 'Path', 'text'],
  ['query', 'Query', 'text'],
  ['body', 'Body', 'text'],
  ['sha256Base64', 'Hash', 'text'],
  ['signatureString', 'Signature string', 'text'],
  ['signature', 'Signature', 'text'],
];
