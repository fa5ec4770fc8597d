import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { againCommand } from '../reporters/again.ts';
import { printable, printableLines } from './printable.ts';
import { quotedWord, shellWord } from './shell-word.ts';

const words = [
  '',
  'plain-word_1:/,.@%+',
  "it's $HOME `id` $(id) \\n !! ~ * ? [a] {b,c} #d",
  '=ls',
  '~',
  '--flag=a b',
  'line\nline\n',
  'a\u001b[2Jb\u0007\u009b31m',
  '\u202egnp.exe\u2066\u2028',
  'ümläut 漢字 🎉',
  'tab\tand\rreturn',
];

describe('a word for a shell', () => {
  it.each(['sh', 'bash'])('is taken by %s as it stands', (shell) => {
    const script = `printf '%s\\0' ${words.map(shellWord).join(' ')} ${words.map(quotedWord).join(' ')}`;
    const { stdout } = spawnSync(shell, ['-c', script], { encoding: 'utf8' });
    expect(stdout.split('\0').slice(0, -1)).toEqual([...words, ...words]);
  });

  it('shows a terminal nothing that it would act on', () => {
    expect(words.map(shellWord).join('')).not.toMatch(/[^\P{C}\n]|[\u2028\u2029]/u);
    expect(shellWord('plain-word_1:/,.@%+')).toBe('plain-word_1:/,.@%+');
  });

  const target = 'http://127.0.0.1:1';

  it('makes a command of the flags that a run was given', () => {
    const flags = { target: 'https://a.example/x', driver: 'command:python3 "d.py"', config: '-c.yaml', bail: true };
    const again = againCommand({ target, seed: 7, configuration: { flags } }, { id: 'orders.query.*', exchanges: [] });
    const { stdout } = spawnSync('sh', ['-c', `npx() { printf '%s\\0' "$@"; }; ${again}`], { encoding: 'utf8' });
    expect(stdout.split('\0').slice(0, -1)).toEqual([
      ...['--no-install', 'assay', 'run', '--target', flags.target, '--driver', flags.driver, '--config', '-c.yaml'],
      ...['--check', 'orders.query.*', '--seed', '7'],
    ]);
    const check = { id: 'a', exchanges: [] };
    expect(againCommand({ target, seed: 7, configuration: {} }, check)).toBe(
      `npx --no-install assay run --target ${target} --check a --seed 7`,
    );
    const command = 'node dist/main.js';
    expect(againCommand({ target, seed: 7, configuration: { flags: {}, command } }, check)).toBe(
      'node dist/main.js run --check a --seed 7',
    );
  });

  it('repeats with a check that judges what another one sent that other one too', () => {
    const sent = (check: string) => ({
      request: { method: 'GET', url: target, headers: { 'User-Agent': `assay (run 1; check ${check})` }, body: '' },
      durationMs: 1,
    });
    const check = { id: 'a', exchanges: [sent('b'), sent('a'), sent('b')] };
    expect(againCommand({ target, seed: 7, configuration: { flags: {} } }, check)).toBe(
      'npx --no-install assay run --check a --check b --seed 7',
    );
  });
});

describe('printable text', () => {
  it('has no character that a terminal acts on, in one line or several', () => {
    const text = 'a\u0000\u001b[31m\r\n\tb\u202e\u2028\ud800\uffff';
    expect(printable(text)).toBe('a\\u{0}\\u{1b}[31m\\u{d}\\u{a}\\u{9}b\\u{202e}\\u{2028}\\u{d800}\\u{ffff}');
    expect(printableLines(text)).toBe('a\\u{0}\\u{1b}[31m\n\tb\\u{202e}\\u{2028}\\u{d800}\\u{ffff}');
  });
});
