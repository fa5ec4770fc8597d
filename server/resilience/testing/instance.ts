import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** The command as users have it, built by `npm run build`. */
const assay = fileURLToPath(new URL('../../../dist/conformance/cli/main.js', import.meta.url));

/** A process of `assay serve`. */
export type InstanceProcess = ReturnType<typeof spawnInstance>;

/**
 * Starts `assay serve` on a free port. `kill` works at any moment. `ready` resolves with the address once the server
 * answers.
 */
export function spawnInstance(flags: readonly string[]) {
  const child = spawn(process.execPath, [assay, 'serve', '--port', '0', ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('ASSAY_'))),
  });
  const output: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => output.push(text));
  const closed = once(child, 'close');
  const line = once(createInterface({ input: child.stdout }), 'line').then(([text]) => {
    const greeting: { url: string } = JSON.parse(String(text));
    return greeting.url;
  });
  // There may be no caller waiting for the line when the server is killed.
  line.catch(() => {});
  const failed = closed.then(() => {
    throw new Error(`assay serve ended before it answered:\n${output.join('')}`);
  });
  failed.catch(() => {});
  return {
    /** The server's log output. */
    output,
    ready: () => Promise.race([line, failed]),
    /** Kills the server, as a power cut would. Resolves when the process is gone. */
    async kill(): Promise<void> {
      child.kill('SIGKILL');
      await closed;
    },
  };
}
