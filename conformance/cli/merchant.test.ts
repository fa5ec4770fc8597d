import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newPostgresDatabase } from '../../server/storage/testing/postgres.ts';
import { merchantClient, startTestServer } from '../../server/tests/support/server.ts';
import type { Credentials } from '../../server/tests/support/signing.ts';
import { assayHere } from './testing/assay-here.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-merchant-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a subcommand and reads its line; fails unless it succeeds and prints one. */
async function merchant(...args: string[]) {
  const { code, stdout, stderr } = await assayHere(['merchant', ...args]);
  expect(code, stderr).toBe(0);
  expect(stdout).toMatch(/^[^\n]+\n$/);
  return JSON.parse(stdout);
}

/** What a server on this database answers a signed query of an unknown order with: 40001 where the key works. */
async function answerTo(database: string, credentials: Credentials): Promise<unknown> {
  const server = await startTestServer({ database, mode: 'production' });
  try {
    return (await merchantClient(server, credentials).get('no-such-order-here')).body;
  } finally {
    await server.close();
  }
}

describe.each<[string, () => Promise<{ flags: string[]; database: string }>]>([
  [
    'a file',
    async () => {
      const data = join(folder, 'file');
      return { flags: ['--data', data], database: join(data, 'assay.sqlite') };
    },
  ],
  [
    'a PostgreSQL server',
    async () => {
      const database = await newPostgresDatabase();
      return { flags: ['--database', database], database };
    },
  ],
])('assay merchant on %s', (_what, prepare) => {
  it('makes merchants that a server knows, lists them, and changes their keys', async () => {
    const { flags, database } = await prepare();
    const first = await merchant('create', ...flags);
    expect(Object.keys(first)).toEqual(['merchantId', 'apiKey', 'apiSecret']);
    expect(await answerTo(database, first)).toMatchObject({ code: '40001' });

    const before = Date.now();
    const second = await merchant('rotate-key', first.merchantId, ...flags);
    expect(second.merchantId).toBe(first.merchantId);
    expect(Date.parse(second.othersEndAt) - before).toBeGreaterThanOrEqual(24 * 3_600_000);
    expect(await answerTo(database, first)).toMatchObject({ code: '40001' });
    expect(await answerTo(database, second)).toMatchObject({ code: '40001' });

    await merchant('rotate-key', first.merchantId, '--overlap-hours', '0', ...flags);
    expect(await answerTo(database, second)).toMatchObject({ code: '90003' });

    const other = await merchant('create', ...flags);
    const listed = await merchant('list', '--json', ...flags);
    expect(listed).toEqual([
      { merchantId: first.merchantId, createdAt: expect.stringMatching(/Z$/), activeKeys: 1 },
      { merchantId: other.merchantId, createdAt: expect.stringMatching(/Z$/), activeKeys: 1 },
    ]);
    const { stdout } = await assayHere(['merchant', 'list', ...flags]);
    expect(stdout.split('\n')[1]).toMatch(new RegExp(`^${other.merchantId} .* 1 active key$`));
    for (const { apiKey, apiSecret } of [first, second, other]) {
      expect(stdout).not.toContain(apiKey);
      expect(stdout).not.toContain(apiSecret);
    }
  });
});

it('makes a folder and a file that only their owner may read, and leaves a folder that exists as it is', async () => {
  const modeOf = (path: string) => statSync(path).mode & 0o777;
  const made = join(folder, 'private/below');
  await merchant('create', '--data', made);
  expect([dirname(made), made, join(made, 'assay.sqlite')].map(modeOf)).toEqual([0o700, 0o700, 0o600]);
  const there = mkdtempSync(join(folder, 'there-'));
  chmodSync(there, 0o755);
  await merchant('create', '--data', there);
  expect([there, join(there, 'assay.sqlite')].map(modeOf)).toEqual([0o755, 0o600]);
});

it('assay merchant create takes settings, and they hold', async () => {
  const data = join(folder, 'settings');
  const settings = join(folder, 'settings.json');
  writeFileSync(settings, '{ "checkoutEnabled": false }');
  const credentials = await merchant('create', '--data', data, '--settings', settings);
  const server = await startTestServer({ database: join(data, 'assay.sqlite'), mode: 'production' });
  const client = merchantClient(server, credentials);
  const { body } = await client.request('GET', `/api/v1/merchants/${client.merchantId}/checkout/payment-methods`);
  await server.close();
  expect(body).toMatchObject({ code: '50010' });
});

describe('assay merchant, called wrongly,', () => {
  const file = (text: string) => {
    const path = join(folder, 'wrong.json');
    writeFileSync(path, text);
    return path;
  };
  const data = join(folder, 'wrong');
  beforeAll(() => assayHere(['merchant', 'create', '--data', data]));

  it.each<[string, () => string[], string]>([
    [
      'an unknown setting',
      () => ['create', '--settings', file('{ "automatik": true }'), '--data', data],
      'did you mean automatic?',
    ],
    [
      'a setting that does not fit',
      () => ['create', '--settings', file('{ "usdRate": "-1" }'), '--data', data],
      'settings.usdRate',
    ],
    ['settings that are no JSON', () => ['create', '--settings', file('{ canary'), '--data', data], 'is not JSON'],
    [
      'settings that are not there',
      () => ['create', '--settings', join(folder, 'none.json'), '--data', data],
      'cannot be read',
    ],
    ['data in a file', () => ['create', '--data', file('')], '--data: the folder'],
    ['a list of a database that is not there', () => ['list', '--data', join(folder, 'none')], 'no database in'],
    [
      'a new key in a database that is not there',
      () => ['rotate-key', 'M-1', '--data', join(folder, 'none')],
      'no database in',
    ],
    ['a merchant that is not there', () => ['rotate-key', 'M-none', '--data', data], 'no merchant M-none'],
    [
      'an overlap that is none',
      () => ['rotate-key', 'M-1', '--overlap-hours', 'long', '--data', data],
      'number of hours',
    ],
    ['a server that is not there', () => ['list', '--database', 'postgres://u:canary@127.0.0.1:1/x'], '127.0.0.1:1'],
    ['no subcommand that there is', () => ['delete'], 'delete'],
  ])('refuses %s and says so', async (_what, args, message) => {
    const { code, stdout, stderr } = await assayHere(['merchant', ...args()]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('canary');
  });
});
