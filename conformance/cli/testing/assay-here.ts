import { vi } from 'vitest';
import { callCommand } from '../program.ts';
import type { CommandOutcome } from './assay.ts';

/**
 * Calls `assay` in this process, with the same arguments as `assay`, which starts a process and so takes many times as long. What a
 * process does with signals, with a closed output or when a run is stopped early is seen in a process of its own, and so
 * is the command that it prints to call it again.
 */
export async function assayHere(
  args: readonly string[],
  environment: Record<string, string> = {},
  folder = process.cwd(),
): Promise<CommandOutcome> {
  let [stdout, stderr] = ['', ''];
  const printed = [
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      stdout += text;
      return true;
    }),
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
      stderr += text;
      return true;
    }),
  ];
  const restoreSignals = keepingSignals();
  const restoreSurroundings = surroundings(environment, folder);
  const before = process.exitCode;
  process.exitCode = 0;
  try {
    await callCommand(args);
    return { code: Number(process.exitCode), stdout, stderr };
  } finally {
    process.exitCode = before;
    restoreSurroundings();
    restoreSignals();
    for (const each of printed) each.mockRestore();
  }
}

/** Takes on the environment, without what steers assay elsewhere, and the folder; the result is a function that goes back. */
function surroundings(environment: Record<string, string>, folder: string): () => void {
  const before = { environment: { ...process.env }, folder: process.cwd() };
  for (const name of Object.keys(process.env)) if (name.startsWith('ASSAY_')) delete process.env[name];
  Object.assign(process.env, environment);
  process.chdir(folder);
  return () => {
    process.chdir(before.folder);
    for (const name of Object.keys(environment)) delete process.env[name];
    Object.assign(process.env, before.environment);
  };
}

/** A function that removes the listeners to signals that were added since. A command leaves its own to the end of its process. */
function keepingSignals(): () => void {
  const signals = (['SIGINT', 'SIGTERM'] as const).map((signal) => ({ signal, before: process.listeners(signal) }));
  return () => {
    for (const { signal, before } of signals) {
      for (const each of process.listeners(signal)) if (!before.includes(each)) process.off(signal, each);
    }
  };
}
