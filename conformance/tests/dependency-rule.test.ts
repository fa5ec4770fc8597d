import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** For each room of the table, an import that it must not have. */
const forbidden: [room: string, from: string, to: string][] = [
  ['conformance/fuzz', 'conformance/fuzz/a.ts', 'conformance/run/z.ts'],
  ['conformance/attack', 'conformance/attack/a.ts', 'conformance/checks/z.ts'],
  ['conformance/binary', 'conformance/binary/a.ts', 'conformance/run/z.ts'],
  ['conformance/(index|vitest).ts', 'conformance/index.ts', 'server/main.ts'],
  ['conformance/cli', 'conformance/cli/a.ts', 'openapi/generate/a.ts'],
  ['conformance/doctor', 'conformance/doctor/a.ts', 'conformance/reporters/z.ts'],
  ['conformance/prove', 'conformance/prove/a.ts', 'conformance/proof/variants/z.ts'],
  ['conformance/proof/(faults|stand)', 'conformance/proof/faults/a.ts', 'conformance/run/z.ts'],
  ['conformance/compare', 'conformance/compare/a.ts', 'conformance/cli/z.ts'],
  ['conformance/reporters', 'conformance/reporters/a.ts', 'conformance/checks/orders/z.ts'],
  ['conformance/run', 'conformance/run/a.ts', 'conformance/reporters/z.ts'],
  ['conformance/checks', 'conformance/checks/orders/a.ts', 'server/main.ts'],
  ['conformance/invariants', 'conformance/invariants/a.ts', 'conformance/arrange/z.ts'],
  ['conformance/history', 'conformance/history/a.ts', 'conformance/wire/z.ts'],
  ['conformance/arrange', 'conformance/arrange/a.ts', 'conformance/checks/z.ts'],
  ['conformance/check', 'conformance/check/a.ts', 'conformance/run/z.ts'],
  ['conformance/drivers', 'conformance/drivers/a.ts', 'conformance/check/z.ts'],
  ['conformance/wire', 'conformance/wire/a.ts', 'conformance/check/z.ts'],
  ['conformance/values', 'conformance/values/a.ts', 'conformance/arrange/z.ts'],
  ['conformance/contract', 'conformance/contract/a.ts', 'conformance/text/z.ts'],
  ['conformance/errors', 'conformance/errors/a.ts', 'conformance/contract/z.ts'],
  ['conformance/text', 'conformance/text/a.ts', 'conformance/wire/z.ts'],
  ['server/attack', 'server/attack/a.ts', 'openapi/generate/a.ts'],
  ['server/bench', 'server/bench/a.ts', 'openapi/generate/a.ts'],
  ['server/resilience', 'server/resilience/a.ts', 'openapi/generate/a.ts'],
  ['server/main.ts', 'server/main.ts', 'openapi/generate/a.ts'],
  ['server/app.ts', 'server/app.ts', 'openapi/generate/a.ts'],
  ['server/setup', 'server/setup/a.ts', 'server/checkout-page/z.ts'],
  ['server/options.ts', 'server/options.ts', 'server/http/z.ts'],
  ['server/checkout-page', 'server/checkout-page/a.ts', 'server/storage/z.ts'],
  ['server/runtime', 'server/runtime/a.ts', 'server/storage/z.ts'],
  ['server/http', 'server/http/a.ts', 'server/storage/z.ts'],
  ['server/storage', 'server/storage/a.ts', 'server/http/z.ts'],
  ['server/webhooks', 'server/webhooks/a.ts', 'server/http/z.ts'],
  ['server/signing', 'server/signing/a.ts', 'server/http/z.ts'],
  ['server/services', 'server/services/a.ts', 'server/storage/z.ts'],
  ['server/views', 'server/views/a.ts', 'server/services/z.ts'],
  ['server/domain', 'server/domain/a.ts', 'server/services/z.ts'],
  ['openapi', 'openapi/generate/b.ts', 'conformance/check/z.ts'],
  ['generated', 'generated/a.ts', 'openapi/generate/a.ts'],
];

/** The topmost rooms: they may import everything below, and everything else is below. */
const free = ['docs', 'conformance/bench', 'conformance/mutation', 'conformance/proof'];

/** Imports that a rule of its own forbids. */
const ruled: [rule: string, from: string, to: string][] = [
  ['nothing comes from the docs', 'conformance/cli/b.ts', 'docs/site/z.ts'],
  ['nothing comes from the docs', 'server/tests/b.test.ts', 'docs/site/z.ts'],
  ['server and runner stay apart', 'server/http/b.ts', 'conformance/wire/z.ts'],
  ['the domain is pure', 'server/domain/b.ts', 'node:fs'],
  ['check files stand alone', 'conformance/checks/orders/b.ts', 'conformance/checks/orders/z.ts'],
  ['no circle', 'docs/site/one.ts', 'docs/site/two.ts'],
];

/** Imports that their place allows. */
const allowed: [from: string, to: string][] = [
  ['conformance/cli/c.ts', 'server/main.ts'],
  ['conformance/proof/c.ts', 'server/domain/z.ts'],
  ['conformance/prove/c.ts', 'conformance/proof/faults/z.ts'],
  ['conformance/fuzz/c.ts', 'server/storage/z.ts'],
  ['conformance/run/c.test.ts', 'server/main.ts'],
  ['conformance/checks/index.ts', 'conformance/checks/orders/z.ts'],
  ['conformance/checks/orders/c.ts', 'conformance/arrange/z.ts'],
  ['server/http/c.ts', 'server/services/z.ts'],
  ['server/services/c.ts', 'server/domain/z.ts'],
  ['docs/site/c.ts', 'conformance/checks/orders/z.ts'],
];

describe('the dependency rule', () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-layers-'));
  let violations: { rule: string; from: string }[];
  let rules: string[];

  beforeAll(() => {
    const imports = [...forbidden, ...ruled].map(([, from, to]) => [from, to] as const).concat(allowed);
    const write = (path: string, text: string) => {
      mkdirSync(join(folder, dirname(path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    };
    for (const [, to] of imports) if (!to.startsWith('node:')) write(to, 'export const x = 1;\n');
    for (const [from, to] of imports) {
      const specifier = to.startsWith('node:') ? to : relative(dirname(from), to).replace(/^(?!\.)/, './');
      write(from, `import type { x } from '${specifier}';\n\nexport type Y = typeof x;\n`);
    }
    write('docs/site/two.ts', `import type { Y } from './one.ts';\n\nexport type x = Y;\n`);
    write('tsconfig.json', '{}');
    const command = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
    const flags = ['--config', join(root, '.dependency-cruiser.mjs'), '--output-type', 'json'];
    const { stdout } = spawnSync(process.execPath, [command, ...flags, '.'], { cwd: folder, encoding: 'utf8' });
    const { summary } = JSON.parse(stdout) as {
      summary: {
        violations: { rule: { name: string }; from: string }[];
        ruleSetUsed: { forbidden: { name: string }[] };
      };
    };
    violations = summary.violations.map(({ rule, from }) => ({ rule: rule.name, from }));
    rules = summary.ruleSetUsed.forbidden.map(({ name }) => name);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('has no rule that is not tried here', () => {
    const seen = [
      ...[...free, ...forbidden.map(([room]) => room)].map((room) => `layer ${room}`),
      ...ruled.map(([rule]) => rule),
    ];
    expect(new Set(seen)).toEqual(new Set(rules));
  });

  it('has a row for every folder of the server and the runner', () => {
    const isRuled = (folder: string) => forbidden.some(([, from]) => from.startsWith(`${folder}/`));
    const folders = ['server', 'conformance'].flatMap((each) =>
      readdirSync(join(root, each), { withFileTypes: true })
        .filter((entry) => entry.isDirectory() && !['tests', 'released-schemas'].includes(entry.name))
        .map(({ name }) => `${each}/${name}`),
    );
    expect(folders.length).toBeGreaterThan(20);
    expect(folders.filter((folder) => !free.includes(folder) && !isRuled(folder))).toEqual([]);
  });

  it.each(forbidden)('holds %s to its row: %s must not import %s', (room, from) => {
    expect(violations).toContainEqual({ rule: `layer ${room}`, from });
  });

  it.each(ruled)('holds that %s: %s must not import %s', (rule, from) => {
    expect(violations).toContainEqual({ rule, from });
  });

  it.each(allowed)('accepts that %s imports %s', (from) => {
    expect(violations.filter((violation) => violation.from === from)).toEqual([]);
  });
});
