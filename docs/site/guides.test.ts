// Everything that the guides tell readers to type exists: commands with their flags, checks, settings.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import picomatch from 'picomatch';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { suiteVersions } from '../../conformance/checks/check-ids.ts';
import { allChecks } from '../../conformance/checks/index.ts';
import { parseBaseline } from '../../conformance/run/baseline.ts';
import { parseConfiguration } from '../../conformance/run/configuration.ts';
import { readChoices } from '../../server/setup/choices.ts';
import { pagesFolder, rootFolder } from './folders.ts';
import { withoutParts } from './generate/markers.ts';
import { commands } from './generate/parts/command-parts.ts';

const pages = readdirSync(pagesFolder, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.md'))
  .sort();
const read = (page: string) => withoutParts(readFileSync(join(pagesFolder, page), 'utf8'));

/** The blocks of code of a page in any of these languages, without generated blocks. */
const blocksOf = (page: string, ...languages: string[]): string[] =>
  [...read(page).matchAll(/^```(\w+).*\n([\s\S]*?)^```$/gm)].flatMap(([, language = '', text = '']) =>
    languages.includes(language) ? [text] : [],
  );

const allCommands = Object.values(commands).map((make) => make());

/** The faults of a command line, given as the words after `assay`. */
function wrongWith(words: string[]): string[] {
  const [name = '', next = ''] = words;
  const named = allCommands.find((command) => command.name() === name);
  if (!named) return [`assay has no ${name}`];
  const command = named.commands.find((below) => below.name() === next) ?? named;
  const flags = words.filter((word) => word.startsWith('--')).map((word) => word.split('=', 1)[0]);
  return flags
    .filter((flag) => !command.options.some(({ long }) => long === flag))
    .map((flag) => `${name} has no ${flag}`);
}

/** Every command line of assay in the shell blocks of a page, as the words after `assay`. */
const usesIn = (page: string): string[][] =>
  blocksOf(page, 'sh')
    .flatMap((block) => block.replaceAll('\\\n', ' ').split('\n'))
    .flatMap((line) => line.split(/\bnpx --no-install assay\s+/).slice(1))
    .map((use) => use.trim().split(/\s+/));

describe('every command line', () => {
  const using = pages.filter((page) => usesIn(page).length > 0);
  test.each(using)('in %s has a command and flags that exist', (page) => {
    expect(usesIn(page).flatMap(wrongWith)).toEqual([]);
  });

  test('with an unknown command or flag is found', () => {
    expect(wrongWith(['acquit'])).toEqual(['assay has no acquit']);
    expect(wrongWith(['run', '--target', 'x', '--frobnicate'])).toEqual(['run has no --frobnicate']);
  });

  test('selects existing checks', () => {
    const globs = pages
      .flatMap((page) => [...read(page).matchAll(/--check '?!?(\w+\.[\w.*-]+)/g)])
      .map(([, glob = '']) => glob);
    expect(globs.length).toBeGreaterThan(1);
    const matchesNone = (glob: string) => !allChecks.some(({ id }) => picomatch(glob)(id));
    expect(globs.filter(matchesNone)).toEqual([]);
  });
});

describe('every example of a file', () => {
  const environment = { ASSAY_CONTROL_TOKEN: 't', ASSAY_API_SECRET: 's', OTHER_SECRET: 'o' };
  test.each(blocksOf('conformance/configuration.md', 'yaml'))('is a valid configuration: %s', (yaml) => {
    expect(parseConfiguration(yaml, 'the page', environment)).not.toEqual({});
  });

  test('of a job for GitHub uses inputs and outputs of the action', () => {
    const action: Record<'inputs' | 'outputs', object> = parse(readFileSync(join(rootFolder, 'action.yml'), 'utf8'));
    const jobs = blocksOf('conformance/ci.md', 'yaml').filter((yaml) => yaml.includes('/assay@'));
    const steps: { uses: string; with: object }[] = jobs.flatMap((yaml) => parse(yaml));
    const given = steps.filter(({ uses }) => uses.includes('/assay@')).flatMap((step) => Object.keys(step.with));
    expect(given).toContain('target');
    expect(given.filter((name) => !Object.hasOwn(action.inputs, name))).toEqual([]);
    const used = [...jobs.join('').matchAll(/steps\.assay\.outputs\.([\w-]+)/g)].map(([, name = '']) => name);
    expect(used).toEqual(['html', 'junit']);
    expect(used.filter((name) => !Object.hasOwn(action.outputs, name))).toEqual([]);
  });

  test('names a version of the suite', () => {
    const [, yaml = ''] = blocksOf('conformance/baselines.md', 'yaml');
    expect(suiteVersions).toContain(parseConfiguration(yaml, 'the page').suite);
  });

  test('is a baseline with existing checks', () => {
    const entries = blocksOf('conformance/baselines.md', 'yaml')
      .slice(0, 1)
      .flatMap((yaml) => parseBaseline(yaml, 'the page', {}));
    expect(entries.length).toBeGreaterThan(0);
    for (const { check } of entries) expect(allChecks.map(({ id }) => id)).toContain(check);
  });

  test('is a valid choice at open points', () => {
    const [yaml = ''] = blocksOf('sandbox.md', 'yaml');
    expect(readChoices(yaml, 'the page')).toMatchObject(parse(yaml));
  });

  test('gives the action only inputs that exist', () => {
    const { inputs } = parse(readFileSync(join(rootFolder, 'action.yml'), 'utf8'));
    const [job = ''] = blocksOf('conformance/ci.md', 'yaml');
    const steps: { uses?: string; with?: object }[] = parse(job);
    const given = steps.find(({ uses }) => uses?.includes('/assay@'))?.with ?? {};
    expect(Object.keys(given)).not.toEqual([]);
    for (const input of Object.keys(given)) expect(Object.keys(inputs)).toContain(input);
  });
});
