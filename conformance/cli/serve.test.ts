import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { assay, assayProcess } from './testing/assay.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-serve-'));
const running: ChildProcess[] = [];

afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Greeting {
  url: string;
  control?: string;
  controlToken?: string;
}

/** Starts `assay serve` and waits for its one line. */
async function serve(...flags: string[]) {
  const child = assayProcess(['serve', '--port', '0', ...flags]);
  running.push(child);
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const greeting: Greeting = JSON.parse(String(line));
  const stop = async () => {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    const [code] = await ended;
    return code;
  };
  return { ...greeting, stop };
}

const bearer = (token: string | undefined) => ({ authorization: `Bearer ${token}` });

describe('assay serve', () => {
  it('prints its addresses once it accepts requests, and ends in order when it is told to', async () => {
    const { url, control, controlToken, stop } = await serve('--data', join(folder, 'first'));
    expect(control).toBe(`${url}/sandbox/v1`);
    const answer = await fetch(`${control}`, { headers: bearer(controlToken) });
    expect(await answer.json()).toMatchObject({ implementation: expect.stringMatching(/^assay\/[0-9]/) });
    expect(await stop()).toBe(0);
  });

  it('keeps what it was given over a restart', async () => {
    const flags = ['--data', join(folder, 'kept'), '--control-token', 'token-for-both'];
    const first = await serve(...flags);
    const headers = { ...bearer('token-for-both'), 'content-type': 'application/json' };
    const made = await fetch(`${first.control}/merchants`, { method: 'POST', headers, body: '{}' });
    const { merchantId } = (await made.json()) as { merchantId: string };
    await first.stop();
    const second = await serve(...flags);
    const clock = `${second.control}/merchants/${merchantId}/clock`;
    const answer = await fetch(clock, { method: 'POST', headers, body: '{"advanceSeconds": 1}' });
    expect(answer.status).toBe(200);
  });

  it('has no control API in production mode, and says nothing of one', async () => {
    const greeting = await serve('--mode', 'production', '--data', join(folder, 'production'));
    expect(Object.keys(greeting)).toEqual(['url', 'stop']);
    expect((await fetch(`${greeting.url}/sandbox/v1`)).status).toBe(404);
  });

  it('says why it cannot start', async () => {
    const { url } = await serve('--data', join(folder, 'taken'));
    const child = spawnSecond(new URL(url).port);
    const [code] = await once(child, 'exit');
    expect(code).toBe(2);
  });
});

describe('assay serve, called wrongly,', () => {
  it.each([
    ['a database that is no address', ['--database', 'file.db'], '--data'],
    ['a port that is none', ['--port', '70000'], '0 to 65535'],
    ['a database that is not there', ['--database', 'postgres://u:canary@127.0.0.1:1/x'], '127.0.0.1:1'],
  ])('refuses %s and says so', async (_what, flags, message) => {
    const { code, stdout, stderr } = await assay(['serve', ...flags]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('canary');
  });
});

function spawnSecond(port: string): ChildProcess {
  const child = assayProcess(['serve', '--port', port, '--data', join(folder, 'second')]);
  running.push(child);
  return child;
}
