import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Answer, send } from '../tests/support/http.ts';
import { type Credentials, signedHeaders } from '../tests/support/signing.ts';

/** The command as users have it, built by `npm run build`. */
const builtServer = fileURLToPath(new URL('../../dist/conformance/cli/main.js', import.meta.url));

const controlToken = 'a control token for attacks';

/** The heap of the attacked process, in MB. */
const heap = 256;

/** How often the attacked process is asked whether it is alive, in milliseconds. */
const pulse = 20;

export type Victim = Awaited<ReturnType<typeof startVictim>>;

/** Starts a sandbox in a process of limited memory. `flags` name its database; `server` is the command to run. */
export async function startVictim(flags: readonly string[], server = builtServer) {
  const child = spawn(
    process.execPath,
    [`--max-old-space-size=${heap}`, server, 'serve', '--port', '0', '--control-token', controlToken, ...flags],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const closed = once(child, 'close');
  const ended = closed.then(() => {
    throw new Error('the server ended before it answered');
  });
  ended.catch(() => {});
  const [line] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended]);
  const { url }: { url: string } = JSON.parse(String(line));

  let longestSilence = 0;
  let asked: number | undefined;
  const timer = setInterval(() => {
    if (asked !== undefined) {
      longestSilence = Math.max(longestSilence, performance.now() - asked);
      return;
    }
    asked = performance.now();
    const alive = request(`${url}/health/live`, { agent: false }, (response) => {
      longestSilence = Math.max(longestSilence, performance.now() - (asked ?? 0));
      asked = undefined;
      response.resume();
    });
    alive.on('error', () => {
      asked = undefined;
    });
    alive.end();
  }, pulse);

  return {
    url,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    /** The longest time without an answer to a simple question, in milliseconds. */
    longestSilence: () => Math.round(longestSilence),
    /** The most resident memory that the process has had, in MB; 0 where the system does not tell or the process is gone. */
    peakMemory: () => {
      try {
        const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
        return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
      } catch {
        return 0;
      }
    },
    control: (path: string, body: object = {}): Promise<Answer> =>
      send(url, {
        method: 'POST',
        target: `/sandbox/v1${path}`,
        headers: { Authorization: `Bearer ${controlToken}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      }),
    /** Posts a signed request. */
    post(as: Credentials, path: string, body: object): Promise<Answer> {
      const target = `/api/v1/merchants/${as.merchantId}/${path}`;
      const text = JSON.stringify(body);
      const headers = signedHeaders(as, { method: 'POST', target, body: text, timestamp: String(Date.now()) });
      return send(url, {
        method: 'POST',
        target,
        headers: { 'Content-Type': 'application/json', ...headers },
        body: text,
      });
    },
    async newMerchant(): Promise<Credentials> {
      return (await this.control('/merchants')).body as Credentials;
    },
    async kill(): Promise<void> {
      clearInterval(timer);
      child.kill('SIGKILL');
      await closed;
    },
  };
}
