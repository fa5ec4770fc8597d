import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openPoints } from '../../generated/catalogue.ts';
import { needNames } from '../check/needs.ts';
import { jsonAnswer } from '../proof/stand/changes.ts';
import { type ProxyRequest, startProxy } from '../proof/stand/proxy.ts';
import { parseConfiguration } from '../run/configuration.ts';
import { configurationSchema } from '../run/configuration-schema.ts';
import { startTarget, type Target } from '../tests/support/target.ts';
import type { CommandOutcome } from './testing/assay.ts';
import { assayHere } from './testing/assay-here.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-init-'));
const file = join(folder, 'assay.yaml');
afterAll(() => rmSync(folder, { recursive: true }));

/** The places of all keys that a value has, such as `limits.maxOrders`. */
function placesOf(value: unknown, place: string[] = []): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [place.join('.')];
  return Object.entries(value).flatMap(([key, each]) => placesOf(each, [...place, key]));
}

/** The places of all keys that a schema has. */
function placesIn(schema: object, place: string[] = []): string[] {
  if (!('properties' in schema)) return [place.join('.')];
  return Object.entries(schema.properties ?? {}).flatMap(([key, each]) => placesIn(each, [...place, key]));
}

describe('assay init', () => {
  let outcome: CommandOutcome;
  beforeAll(async () => {
    outcome = await assayHere(['init'], {}, folder);
  });

  it('writes a configuration that is accepted as it stands', async () => {
    expect(outcome).toMatchObject({ code: 0, stdout: '' });
    expect(parseConfiguration(readFileSync(file, 'utf8'), file, {})).toEqual({ target: 'https://sandbox.example.com' });
    // The command reads this file, in which a merchant is missing.
    const { code, stderr } = await assayHere(['run'], {}, folder);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('there is no merchant for the requests'),
    });
  });

  it('has every key, which is accepted once it is no comment any more', () => {
    const text = readFileSync(file, 'utf8').replace(/^# (?= *(#|[a-zA-Z-]+:( |$)))/gm, '');
    const environment = { ASSAY_CONTROL_TOKEN: 't', ASSAY_API_KEY: 'k', ASSAY_API_SECRET: 's' };
    const configuration = parseConfiguration(text, file, environment);
    expect(placesOf(configuration).sort()).toEqual(placesIn(configurationSchema).sort());
    const references = Object.fromEntries(openPoints.map(({ id, reference }) => [id, reference]));
    expect(configuration['open-points']).toEqual(references);
  });

  it('asks a named target what it offers, and leaves out what it does not', async () => {
    const server = await startTarget();
    const asked = mkdtempSync(join(tmpdir(), 'assay-init-'));
    try {
      const merchant = { ASSAY_MERCHANT_ID: 'M-1', ASSAY_API_KEY: 'key-1', ASSAY_API_SECRET: 'secret-1' };
      expect(await assayHere(['init', '--target', server.url], merchant, asked)).toMatchObject({ code: 0 });
      const written = () => parseConfiguration(readFileSync(join(asked, 'assay.yaml'), 'utf8'), 'it', {});
      expect(written()).toEqual({
        target: server.url,
        without: needNames.filter((need) => need !== 'webhook-receiver'),
      });

      rmSync(join(asked, 'assay.yaml'));
      const control = { ASSAY_CONTROL_TOKEN: server.controlToken };
      expect(await assayHere(['init', '--target', server.url], control, asked)).toMatchObject({ code: 0 });
      // Nothing starts this server again.
      expect(written()).toEqual({ target: server.url, without: ['restart'] });
    } finally {
      rmSync(asked, { recursive: true });
      await server.close();
    }
  });

  it('writes to the file that --config names', async () => {
    const named = join(folder, 'named.yaml');
    const { code, stderr } = await assayHere(['init', '--config', named], {}, folder);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining(`run assay doctor --config ${named}`),
    });
    expect(parseConfiguration(readFileSync(named, 'utf8'), named, {})).toEqual({
      target: 'https://sandbox.example.com',
    });
    const again = await assayHere(['init', '--config', named], {}, folder);
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('named.yaml exists already') });
    const nowhere = await assayHere(['init', '--config', join(named, 'below.yaml')], {}, folder);
    expect(nowhere).toMatchObject({ code: 2, stderr: expect.stringContaining('below.yaml cannot be written') });
  });

  it('overwrites nothing', async () => {
    writeFileSync(file, 'target: http://mine.example\n');
    const { code, stderr } = await assayHere(['init'], {}, folder);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('assay.yaml exists already') });
    expect(readFileSync(file, 'utf8')).toBe('target: http://mine.example\n');
  });
});

describe('assay init, which asks a target for its areas,', () => {
  let server: Target;
  let asked: string;
  const closing: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    server = await startTarget();
    asked = mkdtempSync(join(tmpdir(), 'assay-init-'));
  });
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
    rmSync(join(asked, 'assay.yaml'), { force: true });
  });
  afterAll(async () => {
    await server.close();
    rmSync(asked, { recursive: true });
  });

  /** Asks the server behind a proxy that answers the requests that `isGone` takes, with this status and body. */
  async function initOf(isGone: (request: ProxyRequest) => boolean, status: number, body: unknown) {
    const proxy = await startProxy(server.url, {
      merchantApi: async (request, behind) => (isGone(request) ? jsonAnswer(body, status) : behind.forward(request)),
    });
    closing.push(proxy.close);
    const environment = { ASSAY_CONTROL_TOKEN: server.controlToken };
    const { code, stderr } = await assayHere(['init', '--target', proxy.url], environment, asked);
    expect(code, stderr).toBe(0);
    const { areas } = parseConfiguration(readFileSync(join(asked, 'assay.yaml'), 'utf8'), 'it', {});
    return { areas, stderr };
  }

  it.each([404, 405, 501])('leaves out an area that answers with HTTP %i and no code', async (status) => {
    const { areas, stderr } = await initOf(({ target }) => target.includes('/refunds'), status, { error: 'no route' });
    expect(areas).toEqual(['orders', 'checkout', 'webhooks']);
    expect(stderr).toContain(`the target has no refunds: it answers a signed query there with HTTP ${status}`);
  });

  it.each([
    ['a code of the contract', 404, { code: '40001', message: 'not found', data: null }],
    ['a status that says nothing of operations', 403, { error: 'forbidden' }],
    ['a failure of a gateway', 502, {}],
  ])('keeps one that answers with %s', async (_what, status, body) => {
    expect(await initOf(({ target }) => target.includes('/refunds'), status, body)).toMatchObject({ areas: undefined });
  });

  it('leaves none out where nothing is there, and warns of the address', async () => {
    const { areas, stderr } = await initOf(() => true, 404, 'no route');
    expect(areas).toBeUndefined();
    expect(stderr).toContain('check the address of the target, which ends before /api/v1');
  });

  it('names the address at which the API answers, and writes no file', async () => {
    const control = ['--control', server.control, '--control-token', server.controlToken];
    const args = ['init', '--target', `${server.url}/api/v1`, ...control];
    const { code, stderr } = await assayHere(args, {}, asked);
    expect(code).toBe(2);
    expect(stderr).toContain(`make ${server.url} the target: the API answers there`);
    expect(existsSync(join(asked, 'assay.yaml'))).toBe(false);
  });
});
