import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createClient } from '@hey-api/openapi-ts';
import { generateApi } from 'swagger-typescript-api';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { contract } from '../../generated/contract.ts';
import { listContents } from './contents.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

interface Tool {
  /** Its consumer is `compatibility/NAME.ts.txt`. */
  name: string;
  packages: string[];
  /** Runs the tool on the bundled contract and writes its output into a folder. */
  generate(folder: string): Promise<unknown>;
}

const bundle = join(root, 'generated/openapi.json');

const tools: Tool[] = [
  {
    name: 'openapi-fetch',
    packages: ['openapi-typescript', 'openapi-fetch'],
    generate: async (folder) => copyFileSync(join(root, 'generated/types.ts'), join(folder, 'types.ts')),
  },
  {
    name: 'swagger-typescript-api',
    packages: ['swagger-typescript-api'],
    async generate(folder) {
      const { files } = await generateApi({ input: bundle, output: false, fileName: 'api.ts', silent: true });
      for (const { fileContent } of files) {
        // The tool switches the compiler's checks off for its output; this test needs them.
        writeFileSync(join(folder, 'api.ts'), fileContent.replace('// @ts-nocheck', ''));
      }
    },
  },
  {
    name: 'hey-api',
    packages: ['@hey-api/openapi-ts', 'zod'],
    generate: (folder) =>
      createClient({
        input: bundle,
        output: folder,
        plugins: [
          '@hey-api/typescript',
          {
            name: 'zod',
            '~resolvers': {
              // By default int64 becomes a bigint, and the other half of an intersection sees a number. zod cannot merge
              // the two: the schema of a paid hosted order would throw.
              number: ({ $, schema, symbols: { z } }) =>
                schema.format === 'int64' ? $(z).attr('int').call() : undefined,
            },
          },
        ],
        logs: { level: 'silent', file: false },
      }),
  },
];

/** Holds the output of each tool in a folder. It is outside the checkout, so that nothing else compiles or lints it. */
let folder = '';
/** The compiler's complaints, by file below the folder. */
let complaints = new Map<string, string[]>();
/** The tests that each tool passed, for the table at the end. */
const passed = new Map<string, string[]>(tools.map(({ name }) => [name, []]));

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'assay-compatibility-')));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
  for (const { name, generate } of tools) {
    mkdirSync(join(folder, name));
    await generate(join(folder, name));
    const consumer = readFileSync(new URL(`compatibility/${name}.ts.txt`, import.meta.url), 'utf8');
    writeFileSync(join(folder, name, 'consumer.ts'), consumer);
    writeFileSync(join(folder, name, 'unguarded.ts'), consumer.replaceAll('@ts-expect-error', 'wrong:'));
  }
  complaints = compile(tools.flatMap(({ name }) => [`${name}/consumer.ts`, `${name}/unguarded.ts`]));
});

afterAll(() => {
  rmSync(folder, { recursive: true });
  const rows = tools.map(({ name, packages }) => ({
    tool: packages.map((each) => `${each} ${versionOf(each)}`).join(', '),
    result: passed.get(name)?.join(', ') || 'failed',
  }));
  console.log(
    ['Compatibility of the bundled contract:', ...rows.map(({ tool, result }) => `  ${tool.padEnd(48)}${result}`)].join(
      '\n',
    ),
  );
});

/** Compiles files and all that they import under `strict`; returns `line: message` by file. */
function compile(files: string[]): Map<string, string[]> {
  const program = ts.createProgram({
    rootNames: files.map((file) => join(folder, file)),
    options: {
      strict: true,
      noUncheckedIndexedAccess: true,
      noEmit: true,
      skipLibCheck: true,
      allowImportingTsExtensions: true,
      target: ts.ScriptTarget.ES2022,
      lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      types: [],
    },
  });
  const found = new Map<string, string[]>();
  for (const { file, start, messageText } of ts.getPreEmitDiagnostics(program)) {
    const path = file?.fileName.replace(`${folder}/`, '') ?? 'options';
    const line = file && start !== undefined ? file.getLineAndCharacterOfPosition(start).line + 1 : 0;
    const message = ts.flattenDiagnosticMessageText(messageText, ' ');
    found.set(path, [...(found.get(path) ?? []), `${line}: ${message}`]);
  }
  return found;
}

function versionOf(name: string): string {
  const { version }: { version: string } = JSON.parse(
    readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8'),
  );
  return version;
}

/** The compiler's complaints about a tool's folder. A complaint outside all folders counts for each tool. */
function complaintsAbout(name: string): [string, string[]][] {
  const others = tools.filter((tool) => tool.name !== name);
  return [...complaints].filter(([file]) => !others.some((tool) => file.startsWith(`${tool.name}/`)));
}

describe.each(tools)('$name', ({ name }) => {
  test('its output and a consumer of all operations compile under `strict`', () => {
    expect(complaintsAbout(name).filter(([file]) => file !== `${name}/unguarded.ts`)).toEqual([]);
    passed.get(name)?.push('compiles');
  });

  test('each wrong use in it would not compile', () => {
    const lines = readFileSync(join(folder, name, 'unguarded.ts'), 'utf8').split('\n');
    const wrong = lines.flatMap((line, index) => (line.includes('// wrong:') ? [index + 2] : []));
    const reported = (complaints.get(`${name}/unguarded.ts`) ?? []).map((each) => Number.parseInt(each, 10));
    expect(wrong.length).toBeGreaterThan(4);
    expect([...new Set(reported)]).toEqual(wrong);
    passed.get(name)?.push(`refuses ${wrong.length} wrong uses`);
  });
});

describe('the schemas of hey-api and zod', () => {
  let schemas = new Map<string, z.ZodType>();

  beforeAll(async () => {
    // The compiler emits it, so that the tool's own output runs.
    const source = readFileSync(join(folder, 'hey-api/zod.gen.ts'), 'utf8');
    const { outputText } = ts.transpileModule(source, {
      compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
    });
    const file = join(folder, 'hey-api/zod.gen.mjs');
    writeFileSync(file, outputText);
    const module: Record<string, z.ZodType> = await import(pathToFileURL(file).href);
    schemas = new Map(Object.entries(module));
  });

  /** Whether the schema that the tool made of a component takes a value. */
  function isAccepted(component: string, value: unknown): boolean {
    const schema = schemas.get(`z${component}`);
    if (!schema) throw new Error(`there is no schema z${component}`);
    return schema.safeParse(value).success;
  }

  const bodies = listContents(contract).filter(({ kind }) => kind === 'body');

  test('accept every example of a body', () => {
    const refused = bodies.flatMap(({ place, schema, examples }) =>
      examples
        .filter(({ value }) => !isAccepted(String(schema.$ref).replace('#/components/schemas/', ''), value))
        .map(({ name }) => `${place} ${name}`),
    );
    expect(refused).toEqual([]);
    passed.get('hey-api')?.push('accepts every example');
  });

  const creation = bodies.find(({ schema }) => schema.$ref === '#/components/schemas/OrderCreateRequest');
  const order = Object(creation?.examples.find(({ name }) => name === 'minimal')?.value);

  test.each([
    ['as it is', {}, true],
    ['with a short merchantOrderId', { merchantOrderId: 'shop-17' }, false],
    ['with an amount that is a number', { orderAmount: { value: 15, currency: 'USDT' } }, false],
    ['with 19 decimal places', { orderAmount: { value: '1.0000000000000000001', currency: 'USDT' } }, false],
    ['in another currency', { orderAmount: { value: '15', currency: 'EUR' } }, false],
    ['without a returnUrl', { returnUrl: undefined }, false],
    ['with half an item', { items: [{ name: 'Pen', quantity: 0.5, amount: order.orderAmount }] }, false],
    ['with a callbackUrl that is not HTTPS', { callbackUrl: 'http://shop.test/hooks' }, false],
  ])('judge a hosted order %s', (_what, changes, expected) => {
    expect(isAccepted('OrderCreateRequest', { ...order, ...changes })).toBe(expected);
  });
});
