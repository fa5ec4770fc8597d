import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPoints } from '../../generated/catalogue.ts';
import { needNames } from '../check/needs.ts';
import { parseConfiguration } from '../run/configuration.ts';
import { configurationSchema } from '../run/configuration-schema.ts';
import { startTarget } from '../tests/support/target.ts';
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

  it('overwrites nothing', async () => {
    writeFileSync(file, 'target: http://mine.example\n');
    const { code, stderr } = await assayHere(['init'], {}, folder);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('assay.yaml exists already') });
    expect(readFileSync(file, 'utf8')).toBe('target: http://mine.example\n');
  });
});
