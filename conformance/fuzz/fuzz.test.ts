import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Credentials } from '../drivers/driver.ts';
import { createBodies } from './bodies.ts';
import { fuzz } from './fuzz.ts';
import { requestOf } from './generate.ts';
import { problemsOf } from './judge.ts';
import type { FuzzWorld } from './world.ts';

// The short form of `npm run fuzz`: the list has every kind of story in each of its cycles of about two thousand requests.
const [count, seed] = [800, 20_260];

test(`${count} random requests leave a server well, and its books in balance`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-fuzz-'));
  const outcome = await fuzz(count, seed, { flags: ['--data', folder], location: join(folder, 'assay.sqlite') });
  rmSync(folder, { recursive: true });
  expect(outcome.findings).toEqual([]);
  // Requests that are all refused would show nothing.
  expect(outcome.accepted).toBeGreaterThan(count / 10);
  expect(outcome.books.orders).toBeGreaterThan(count / 100);
  expect(outcome.books.refunds).toBeGreaterThan(count / 100);
});

const merchant: Credentials = { merchantId: 'M-1', apiKey: 'ak-1', apiSecret: 'sk-1' };
const worldOf = (withSeed: number): FuzzWorld => ({
  ...{
    seed: withSeed,
    host: '127.0.0.1:1',
    controlToken: 'token',
    bodies: createBodies(withSeed),
    receiver: 'http://127.0.0.1:2',
  },
  merchants: { steady: [merchant], odd: [merchant] },
  idOf: () => undefined,
});

describe('the list of requests', () => {
  const shape = (world: FuzzWorld) =>
    Array.from({ length: 500 }, (_, number) => {
      const { what, method, target, sending, mustBeRefused } = requestOf(number, world);
      return { what, method, target, sending, mustBeRefused };
    });

  test('is the same for the same seed, and another for another one', () => {
    expect(shape(worldOf(1))).toEqual(shape(worldOf(1)));
    expect(shape(worldOf(2))).not.toEqual(shape(worldOf(1)));
  });
});

describe('an answer', () => {
  const request = requestOf(0, worldOf(1));
  const query = {
    ...request,
    method: 'GET',
    target: '/api/v1/merchants/M-1/refunds?refundOrderId=r',
    isOddHead: false,
  };
  const answer = (status: number, body: object) => ({
    status,
    contentType: '',
    body: Buffer.from(JSON.stringify(body)),
  });
  const notFound = { code: 'NOT_FOUND', message: 'm', details: '', requestId: 'r', timestamp: 1_767_225_600_000 };

  test.each([
    ['a failure of the server', { ...query, mustBeRefused: false }, answer(500, {}), /HTTP 500/],
    ['a status that is not declared', query, answer(304, {}), /304 is not declared/],
    ['a body of another shape', query, answer(404, { error: 'x' }), /breaks its schema/],
    ['none', query, undefined, /no answer/],
    [
      'the making of a merchant without the token',
      { ...query, method: 'POST', target: '/sandbox/v1/merchants', mustBeRefused: true },
      answer(201, { merchantId: 'M-2', apiKey: 'k', apiSecret: 's' }),
      /accepted what it must refuse/,
    ],
  ])('that is %s is a problem', (_, sent, got, problem) => {
    expect(problemsOf(sent, got).join()).toMatch(problem);
  });

  test('in the form of the contract is none', () => {
    expect(problemsOf({ ...query, mustBeRefused: true }, answer(404, notFound))).toEqual([]);
  });
});
