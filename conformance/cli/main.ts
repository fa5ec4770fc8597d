#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { UsageError } from '../configuration.ts';
import { Unreachable } from '../session.ts';
import { version } from '../version.ts';
import { explainCommand } from './explain.ts';
import { listCommand } from './list.ts';
import { merchantCommand } from './merchant.ts';
import { runCommand } from './run.ts';
import { serveCommand } from './serve.ts';
import { signCommand } from './sign.ts';

const program = new Command('assay')
  .description('Judges implementations of the Merchant Stablecoin Payment API, and is one.')
  .version(version)
  .exitOverride()
  .showHelpAfterError('(see assay --help)');
const commands = [runCommand(), listCommand(), explainCommand(), serveCommand(), merchantCommand(), signCommand()];
for (const command of commands) {
  program.addCommand(command.exitOverride());
}

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = exitCodeOf(error);
}

/** Says what went wrong, unless commander has said it already, and gives the exit code for it. */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof UsageError) {
    process.stderr.write(`assay: ${error.message}\n`);
    return 2;
  }
  if (error instanceof Unreachable) {
    process.stderr.write(`assay: could not judge: ${error.message}\n`);
    return 3;
  }
  process.stderr.write(`assay: a fault of assay itself, not of the target:\n${stackOf(error)}\n`);
  return 70;
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
