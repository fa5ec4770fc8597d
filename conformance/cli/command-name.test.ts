import { describe, expect, it } from 'vitest';
import { commandName } from './command-name.ts';

describe('the command that a run prints', () => {
  const folder = '/home/me/shop';
  const installed = `${folder}/node_modules/.bin`;
  it.each([
    [
      'npx in a project',
      `${installed}/assay`,
      { PATH: `${installed}:/usr/bin`, npm_command: 'exec' },
      'npx --no-install assay',
    ],
    [
      'a script of a project',
      `${installed}/assay`,
      { PATH: `${installed}:/usr/bin`, npm_command: 'run-script' },
      'npx --no-install assay',
    ],
    ['the command of a project by its path', `${installed}/assay`, { PATH: '/usr/bin' }, 'npx --no-install assay'],
    ['a command in PATH', '/usr/local/bin/assay', { PATH: '/usr/local/bin:/usr/bin' }, 'assay'],
    ['a clone', `${folder}/dist/conformance/cli/main.js`, { PATH: '/usr/bin' }, 'node dist/conformance/cli/main.js'],
    ['a clone beside', '/home/me/the clone/dist/main.js', {}, "node '../the clone/dist/main.js'"],
  ])('is the one that was called: %s', (_how, script, environment, command) => {
    expect(commandName({ script, folder, environment, executable: false })).toBe(command);
  });

  it.each([
    ['in PATH', '/usr/local/bin/assay', 'assay'],
    ['in PATH, by the name of its system', '/usr/local/bin/assay-linux-x64', 'assay-linux-x64'],
    ['in the folder', `${folder}/assay`, './assay'],
    ['elsewhere', '/home/me/our tools/assay', "'../our tools/assay'"],
  ])('is the path of the single executable, or its name: %s', (_where, script, command) => {
    const environment = { PATH: '/usr/local/bin:/usr/bin' };
    expect(commandName({ script, folder, environment, executable: true })).toBe(command);
  });
});
