import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const biome = join(root, 'node_modules/@biomejs/biome/bin/biome');

/** Files with one import each that their place forbids. */
const forbidden: [path: string, specifier: string][] = [
  ['openapi/tools/a.ts', '../../server/app.ts'],
  ['openapi/tools/b.ts', '../../conformance/check.ts'],
  ['server/a.ts', '../conformance/check.ts'],
  ['server/http/a.ts', '../../conformance/signing/signature.ts'],
  ['server/http/b.ts', '../storage/open-storage.ts'],
  ['server/checkout-page/a.ts', '../storage/open-storage.ts'],
  ['server/domain/a.ts', 'node:fs'],
  ['server/domain/b.ts', '../services/ports.ts'],
  ['server/services/a.ts', '../storage/open-storage.ts'],
  ['server/services/b.ts', '../http/signature.ts'],
  ['server/services/d.ts', '../checkout-page/routes.ts'],
  ['server/storage/a.ts', '../http/signature.ts'],
  ['conformance/a.ts', '../server/main.ts'],
  ['conformance/b.ts', './checks/index.ts'],
  ['conformance/drivers/a.ts', '../../server/main.ts'],
  ['conformance/checks/a.ts', './auth-headers.ts'],
  ['conformance/checks/b.ts', '../../server/main.ts'],
  ['conformance/reporters/a.ts', '../checks/index.ts'],
  ['openapi/tools/c.ts', '../../docs/site/folders.ts'],
  ['server/b.ts', '../docs/site/folders.ts'],
  ['conformance/cli/b.ts', '../../docs/site/folders.ts'],
  ['conformance/checks/c.ts', '../../docs/site/folders.ts'],
];

/** Files with one import each that their place allows. */
const allowed: [path: string, specifier: string][] = [
  ['conformance/cli/a.ts', '../../server/main.ts'],
  ['conformance/proof/a.ts', '../../server/main.ts'],
  ['conformance/a.test.ts', '../server/main.ts'],
  ['conformance/checks/index.ts', './auth-headers.ts'],
  ['server/http/c.ts', '../services/ports.ts'],
  ['server/services/c.ts', '../domain/order.ts'],
  ['server/checkout-page/b.ts', '../services/orders.ts'],
  ['docs/site/a.ts', '../../conformance/checks/index.ts'],
  ['docs/site/b.ts', '../../server/main.ts'],
];

const importOf = (specifier: string) => `import { x } from '${specifier}';\n\nexport const y = x;\n`;

describe('the dependency rule, as the linter holds it,', () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-lint-'));
  let findings: { category: string; path: string }[];

  beforeAll(() => {
    const cycle: [string, string][] = [
      ['docs/one.ts', './two.ts'],
      ['docs/two.ts', './one.ts'],
    ];
    for (const [path, specifier] of [...forbidden, ...allowed, ...cycle]) {
      mkdirSync(join(folder, dirname(path)), { recursive: true });
      writeFileSync(join(folder, path), importOf(specifier));
    }
    copyFileSync(join(root, 'biome.json'), join(folder, 'biome.json'));
    const flags = ['lint', '--reporter=json', '--max-diagnostics=none', '.'];
    const { stdout } = spawnSync(process.execPath, [biome, ...flags], { cwd: folder, encoding: 'utf8' });
    const { diagnostics } = JSON.parse(stdout) as {
      diagnostics: { category: string; location: { path: string | { file: string } } }[];
    };
    findings = diagnostics.map(({ category, location: { path } }) => ({
      category,
      path: typeof path === 'string' ? path : path.file,
    }));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const foundIn = (path: string) =>
    findings.filter((finding) => finding.path.endsWith(path)).map(({ category }) => category);

  it.each(forbidden)('refuses that %s imports %s', (path) => {
    expect(foundIn(path)).toContain('lint/style/noRestrictedImports');
  });

  it.each(allowed)('accepts that %s imports %s', (path) => {
    expect(foundIn(path)).not.toContain('lint/style/noRestrictedImports');
  });

  it('refuses import cycles', () => {
    expect(foundIn('docs/one.ts')).toContain('lint/suspicious/noImportCycles');
  });
});
