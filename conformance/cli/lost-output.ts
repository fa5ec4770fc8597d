import { printableLines } from '../text/printable.ts';

/**
 * Says on stderr that a part of the output was lost. The exit code of the command stays what it is, since it says more, unless it says that
 * all is well.
 */
export function tellLostOutput(message: string): void {
  process.stderr.write(`assay: ${printableLines(message)}\n`);
  process.exitCode = Number(process.exitCode ?? 0) || 2;
}
