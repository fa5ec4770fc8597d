import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => /\.(md|ya?ml|ts|mjs|json|java|py|sh)$/.test(file) && !/\.test\.ts$|^package-lock/.test(file));

/** Commands that would fetch a package by its name. */
function fetching(text: string): string[] {
  const commands = [
    /\bnpx +(?!--no-install\b)[\w@-]\S*/g,
    /\bnpm (?:exec|create|init) +\S+/g,
    /\bnpm (?:install|i|add) +(?!--no-audit)[@\w][\w@/.-]*/g,
    /\b(?:yarn|pnpm) (?:dlx|add) \S+/g,
  ];
  return commands.flatMap((command) => text.match(command) ?? []);
}

describe('no command of this repository fetches a package of a name that is not ours', () => {
  it.each(files.map((file) => [file]))('in %s', (file) => {
    expect(fetching(read(file))).toEqual([]);
  });

  it('and one that did would be found', () => {
    expect(fetching('run `npx assay run`, npm install assay or npm exec assay')).toHaveLength(3);
    expect(fetching('npx --no-install assay run && npm ci')).toEqual([]);
  });
});

describe('workflows', () => {
  const workflows = files.filter((file) => file.startsWith('.github/workflows/') || file === 'action.yml');
  interface Step {
    uses?: string;
    with?: Record<string, unknown>;
  }
  const stepsOf = (file: string): Step[] => {
    const { jobs = {}, runs }: { jobs?: Record<string, { steps: Step[] }>; runs?: { steps: Step[] } } = parse(
      read(file),
    );
    return [...Object.values(jobs), ...(runs ? [runs] : [])].flatMap(({ steps }) => steps);
  };

  it.each(workflows)('%s pins every action, and leaves no credentials behind', (file) => {
    const used = stepsOf(file).filter(({ uses }) => uses !== undefined);
    for (const { uses = '', with: settings } of used) {
      expect(uses).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
      if (uses.startsWith('actions/checkout@')) expect(settings).toMatchObject({ 'persist-credentials': false });
    }
    expect(workflows).toHaveLength(3);
  });
});
