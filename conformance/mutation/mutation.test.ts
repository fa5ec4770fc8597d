import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { onStage, openNamespace, type Reached } from './active.ts';
import { buildMutants } from './build.ts';
import { figuresOf } from './figures.ts';
import { instrument, type Mutant } from './instrument.ts';
import { judgeMutant } from './judge.ts';
import { readResults, writeResults } from './results.ts';
import { roundsOf } from './rounds.ts';
import { mutatedSources, rootFolder } from './sources.ts';
import { openStand, type Stand } from './stand.ts';
import { changesOf, matchSurvivors, readSurvivors } from './survivors.ts';

const folders: string[] = [];
const newFolder = (prefix: string) => {
  const folder = mkdtempSync(prefix);
  folders.push(folder);
  return folder;
};
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

const source = { name: 'free.ts', content: 'export const isFree = (price: number): boolean =>\n  price <= 0;\n' };

/** The id of the mutant that puts `to` in the place of `code`. */
function idOf(mutants: readonly Mutant[], code: string, to: string): string {
  const found = mutants.find((mutant) => mutant.code === code && mutant.replacement === to);
  if (!found) throw new Error(`no mutant makes ${to} of ${code}`);
  return found.id;
}

describe('a mutant', () => {
  let reached: Reached;
  let mutants: readonly Mutant[];
  let isFree: (price: number) => boolean;

  beforeAll(async () => {
    reached = openNamespace();
    const instrumented = await instrument([source]);
    mutants = instrumented.mutants;
    const file = join(newFolder(join(tmpdir(), 'assay-mutants-')), 'free.mjs');
    const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 };
    writeFileSync(file, ts.transpileModule(instrumented.files[0]?.content ?? '', { compilerOptions }).outputText);
    ({ isFree } = await import(pathToFileURL(file).href));
  });

  it('is described by the text that it changes', () => {
    expect(mutants).toContainEqual({
      id: expect.any(String),
      file: 'free.ts',
      line: 2,
      within: 'price <= 0;',
      code: 'price <= 0',
      replacement: 'price < 0',
    });
  });

  it('is active on its own stage only, side by side with others', async () => {
    const mutant = idOf(mutants, 'price <= 0', 'price < 0');
    const [mutated, other, right] = await Promise.all([
      onStage({ mutant }, () => setTimeout(1).then(() => isFree(0))),
      onStage({ mutant: idOf(mutants, 'price <= 0', 'false') }, () => setTimeout(1).then(() => isFree(-1))),
      onStage({}, () => setTimeout(1).then(() => isFree(0))),
    ]);
    expect([mutated, other, right, isFree(0)]).toEqual([false, false, true, true]);
  });

  it('is active in every request to a server that was started on its stage', async () => {
    const server = createServer((_, response) => response.end(String(isFree(0))));
    await onStage({ mutant: idOf(mutants, 'price <= 0', 'price < 0') }, async () => {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    });
    const { port } = server.address() as AddressInfo;
    const ask = async () => (await fetch(`http://127.0.0.1:${port}`)).text();
    // The second request comes over the connection of the first.
    expect([await ask(), await ask()]).toEqual(['false', 'false']);
    server.closeAllConnections();
    server.close();
  });

  it('is noted for the check that reaches it', async () => {
    await onStage({ check: 'some.check' }, async () => isFree(1));
    expect(Object.keys(reached.perTest['some.check'] ?? {})).toContain(idOf(mutants, 'price <= 0', 'price < 0'));
    expect(reached.perTest['another.check']).toBeUndefined();
  });
});

describe('the suite', () => {
  let stand: Stand;
  let mutants: readonly Mutant[];

  beforeAll(async () => {
    // In the project, because the build looks there for packages.
    const folder = newFolder(join(rootFolder, 'dist/mutation-test-'));
    mutants = await buildMutants(folder);
    openNamespace();
    stand = await openStand(folder);
  });

  it('finds a mutant by a check, in a later round too, and accuses no right server', async () => {
    const id = idOf(mutants, '`${checkoutUrl}/${encodeURIComponent(orderId)}`', '``');
    const rounds = [['checkout.payment-methods.list'], ['orders.view.checkout-url']];
    const [mutant, right] = await Promise.all([
      judgeMutant(id, rounds, stand),
      judgeMutant('no mutant', rounds, stand),
    ]);
    expect(mutant).toMatchObject({ mutant: id, killedBy: expect.stringMatching(/^orders\./), checks: 2 });
    expect(right).toEqual({ mutant: 'no mutant', checks: 2 });
  });
});

describe('a server that waits for what never comes', () => {
  afterEach(() => vi.useRealTimers());

  it.each([
    ['start', 'new Promise(() => {})'],
    ['stop', "{ url: 'http://127.0.0.1:9', close: () => new Promise(() => {}) }"],
  ])('and so does not %s is found', async (step, started) => {
    const folder = newFolder(join(tmpdir(), 'assay-mutants-'));
    const modules = {
      'server/main.js': `export const startServer = async () => (${started});`,
      'server/webhooks/sender.js': 'export const createSender = () => undefined;',
      'package.json': '{ "type": "module" }',
    };
    for (const [name, content] of Object.entries(modules)) {
      mkdirSync(join(folder, name, '..'), { recursive: true });
      writeFileSync(join(folder, name), content);
    }
    const waiting = await openStand(folder);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const judging = judgeMutant('a mutant', [], waiting);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await judging).toMatchObject({ killedBy: 'crash', finding: expect.stringContaining(`did not ${step}`) });
  });
});

describe('the survivors that were read', () => {
  it('are mutants of the present source', async () => {
    const { mutants } = await instrument(mutatedSources());
    expect(matchSurvivors(readSurvivors(), mutants).stale).toEqual([]);
  });

  it('are stale once the code under them has changed', async () => {
    const { mutants: before } = await instrument([source]);
    const entries = changesOf(before).map(({ mutant, change }) => ({
      ...{ kind: 'equivalent' as const, reason: 'a reason', file: mutant.file, mutants: [change] },
    }));
    const { mutants: after } = await instrument([{ ...source, content: source.content.replace('0', '1') }]);
    expect(matchSurvivors(entries, before).stale).toEqual([]);
    expect(matchSurvivors(entries, after).stale).toHaveLength(entries.length);
  });
});

describe('the figures', () => {
  it('leave out what is equivalent or permitted, and count what cannot be seen', async () => {
    const { mutants } = await instrument([source]);
    const [first, second, third, fourth] = mutants.map(({ id }) => id);
    const entry = { reason: 'a reason', file: 'free.ts', mutants: [] };
    const known = {
      byId: new Map([
        [second ?? '', { ...entry, kind: 'equivalent' as const }],
        [third ?? '', { ...entry, kind: 'out-of-sight' as const }],
      ]),
      stale: [],
    };
    const judged = [
      { mutant: first ?? '', killedBy: 'a.check' },
      { mutant: second ?? '' },
      { mutant: third ?? '' },
      { mutant: fourth ?? '', undecided: ['another.check'] },
    ];
    const reached = new Set(judged.map(({ mutant }) => mutant));
    expect(figuresOf(mutants, known, { reached, loaded: new Set(), judged })).toMatchObject({
      ...{ reached: 4, judged: 4, killed: 1, unread: 0, undecided: 1 },
      survived: { equivalent: 1, permitted: 0, 'out-of-sight': 1, hole: 0 },
      found: 100 / 3,
      notConformant: 200 / 3,
    });
  });
});

describe('the results of a pass', () => {
  it('are read again for the mutants whose code is unchanged, whatever stands before it', async () => {
    const { mutants } = await instrument([source]);
    const [first, second] = mutants.map(({ id }) => id);
    const judged = [{ mutant: first ?? '', killedBy: 'a.check', finding: 'wrong' }, { mutant: second ?? '' }];
    const file = join(newFolder(join(tmpdir(), 'assay-mutation-results-')), 'results.json');
    writeResults(mutants, { reached: new Set([first ?? '', second ?? '']), loaded: new Set(), judged }, file);
    const { mutants: later } = await instrument([{ name: 'before.ts', content: 'export const one = 1 + 1;' }, source]);
    const again = readResults(later, file);
    const codeOf = (id: string) => later.find((mutant) => mutant.id === id)?.replacement;
    expect(again.judged.map(({ mutant, ...fate }) => ({ ...fate, to: codeOf(mutant) }))).toEqual([
      { killedBy: 'a.check', finding: 'wrong', to: mutants[0]?.replacement },
      { to: mutants[1]?.replacement },
    ]);
    const { mutants: changed } = await instrument([{ ...source, content: source.content.replace('0', '1') }]);
    expect(readResults(changed, file).judged).toEqual([]);
  });
});

describe('the rounds of checks', () => {
  it('begin with the checks that found neighbours, then the quick ones, and have each check once', () => {
    const checks = Array.from({ length: 60 }, (_, index) => ({ check: `check-${index}`, milliseconds: 60 - index }));
    const rounds = roundsOf(checks, new Map([['check-0', 2]]));
    expect(rounds[0]?.slice(0, 2)).toEqual(['check-0', 'check-59']);
    expect(rounds.flat().toSorted()).toEqual(checks.map(({ check }) => check).toSorted());
  });
});
