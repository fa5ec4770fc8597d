// Runs the commands of the quickstart as a reader would.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { networkOf } from '../../server/domain/networks.ts';
import { confirmationTime } from '../../server/services/simulated-chain.ts';
import { pagesFolder, rootFolder } from './folders.ts';

const page = readFileSync(join(pagesFolder, 'quickstart.md'), 'utf8');

/** The page's blocks of code, in their order. */
const blocks = [...page.matchAll(/^```(\w+)(?: \[(.+)\])?\n([\s\S]*?)^```$/gm)].map(
  ([, language = '', terminal = '', text = '']) => ({ language, terminal, text }),
);
const typedIn = (terminal: string) => blocks.filter((block) => block.terminal === terminal).map(({ text }) => text);
/** The objects that the page shows as printed, without white space. */
const shown = blocks
  .filter(({ language }) => language === 'json')
  .flatMap(({ text }) => text.trim().split(/\n(?=\{)/))
  .map((object) => object.replaceAll(/\s/g, ''));

const folder = mkdtempSync(join(tmpdir(), 'assay-quickstart-'));
const tokenFile = join(rootFolder, '.assay/control-token');
let port: number;
let terminal: ChildProcess;

/** A port that is free now. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Text of the page with a free port in place of 8080, which may be taken. */
const withPort = (text: string) => text.replaceAll('8080', String(port));

beforeAll(async () => {
  rmSync(tokenFile, { force: true });
  port = Number(process.env.QUICKSTART_PORT) || (await freePort());
  // The package is already installed and built. The server's data goes to a temporary folder.
  const assay = [process.execPath, join(rootFolder, 'dist/conformance/cli/main.js')];
  const scripts = {
    npm: `[ "$*" = ci ]`,
    npx: `[ "$1 $2" = "--no-install assay" ] && shift 2 && [ "$1" != serve ] || set -- "$@" --data '${folder}'\nexec ${assay.map((word) => `'${word}'`).join(' ')} "$@"`,
  };
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(folder, name), `#!/bin/bash\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
  }
});
afterAll(async () => {
  if (terminal?.exitCode === null) {
    const ended = once(terminal, 'close');
    process.kill(-Number(terminal.pid), 'SIGTERM');
    await ended;
  }
  rmSync(folder, { recursive: true });
});

const environment = () => ({ PATH: [folder, process.env.PATH].join(delimiter), HOME: folder });

test('the quickstart leads to a paid order', async () => {
  const [install] = typedIn('First terminal');
  terminal = spawn('bash', ['-ec', withPort(`${install}`)], {
    ...{ cwd: rootFolder, env: environment(), detached: true },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  if (!terminal.stdout) throw new Error('the terminal has no stdout');
  const [started] = await once(createInterface({ input: terminal.stdout }), 'line');
  expect(statSync(tokenFile).mode & 0o777).toBe(0o600);

  const typed = withPort(typedIn('Second terminal').join('\n'));
  const printed = await new Promise<string>((resolve, reject) => {
    execFile('bash', ['-ec', typed], { cwd: rootFolder, env: environment() }, (error, stdout, stderr) => {
      if (error) reject(new Error(`${error.message}\n${stdout}${stderr}`));
      else resolve(stdout);
    });
  });
  // Answers of curl that end without a line end stand on one line with the next.
  const answers = [started, ...printed.replaceAll('}{', '}\n{').split('\n')].filter((line) => line.startsWith('{'));
  const expected = shown.map((object) => expect.stringMatching(patternOf(withPort(object))));
  expect(answers.slice(0, -1)).toEqual(expected);
  expect(JSON.parse(answers.at(-1) ?? '')).toMatchObject({
    code: '00000',
    data: { status: 'SUCCEEDED', cryptoPaidAmount: { value: '25.50', currency: 'USDT' } },
  });
});

/** A pattern for the printed object: the object of the page, where each `…` stands for any text. */
function patternOf(object: string): RegExp {
  return new RegExp(`^${object.split('…').map(escaped).join('.*')}$`);
}

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

test('the guides say how long a detected payment of the demo merchant takes to confirm itself', () => {
  const seconds = (networkOf('tron').confirmations * confirmationTime) / 1000;
  expect(page).toContain(`confirms itself after about ${seconds} seconds`);
  expect(readFileSync(join(pagesFolder, 'sandbox.md'), 'utf8')).toContain(`which is ${seconds} seconds on \`tron\``);
});

test('a printed object that differs from the page is noticed', () => {
  expect('{"code":"00000","x":1}').toMatch(patternOf('{"code":"00000",…}'));
  expect('{"code":"10001","x":1}').not.toMatch(patternOf('{"code":"00000",…}'));
});
