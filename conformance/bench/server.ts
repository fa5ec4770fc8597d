import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { cpuTime } from './usage.ts';

/** A reference server in a process of its own. */
export interface BenchServer {
  url: string;
  /** Base address of its control API. */
  control: string;
  controlToken: string;
  /** How many requests to the API and to the control API it has answered so far. */
  answered(): Promise<number>;
  /** The CPU time that it has taken so far, in milliseconds. */
  cpuTime(): number;
  stop(): Promise<void>;
}

/** Starts `assay serve` in `folder`, in the way in which users start it. Rejects when it does not start. */
export async function startBenchServer(folder: string): Promise<BenchServer> {
  const args = ['dist/conformance/cli/main.js', 'serve', '--port', '0', '--metrics-port', '0'];
  const child = spawn(process.execPath, [...args, '--data', join(folder, 'data')], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // The log names the address of the metrics. Nothing else of it is used.
  const metrics = new Promise<string>((resolve) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      const address = /"metrics":"([^"]+)"/.exec(line)?.[1];
      if (address !== undefined) resolve(address);
    });
  });
  const [line] = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    once(child, 'exit').then(() => Promise.reject(new Error('assay serve did not start'))),
  ]);
  const { url, control, controlToken } = JSON.parse(String(line));
  const address = await metrics;
  return {
    url,
    control,
    controlToken,
    answered: async () => {
      const text = await (await fetch(address)).text();
      const counts = [...text.matchAll(/^assay_requests_total\{.*\} (\d+)$/gm)];
      return counts.reduce((sum, [, count]) => sum + Number(count), 0);
    },
    cpuTime: () => cpuTime('own', child.pid),
    stop: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}
