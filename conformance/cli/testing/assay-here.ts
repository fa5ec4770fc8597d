import { vi } from 'vitest';
import { callCommand } from '../program.ts';
import type { CommandOutcome } from './assay.ts';

/**
 * Calls `assay` in this process, which takes a fraction of what starting one takes. It is for commands that only print: what a process
 * does with signals, with its environment or with a closed output is seen in a process of its own.
 */
export async function assayHere(args: readonly string[]): Promise<CommandOutcome> {
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
  const before = process.exitCode;
  process.exitCode = 0;
  try {
    await callCommand(args);
    return { code: Number(process.exitCode), stdout, stderr };
  } finally {
    process.exitCode = before;
    restoreSignals();
    for (const each of printed) each.mockRestore();
  }
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
