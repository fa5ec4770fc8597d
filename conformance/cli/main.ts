#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { stackOf } from '../errors/message-of.ts';
import { Unreachable, UsageError } from '../errors/usage-errors.ts';
import { version } from '../run/version.ts';
import { printableLines } from '../text/printable.ts';
import { environmentSecrets, redact } from '../text/redact.ts';

/** The exit code of Node when nothing is left to do and the program still waits. */
const neverSettled = 13;

/** The commands by name. Only the called command is loaded, because loading all of them takes long. */
const commands = new Map<string, () => Promise<Command>>([
  ['run', async () => (await import('./run.ts')).runCommand()],
  ['judge', async () => (await import('./judge.ts')).judgeCommand()],
  ['compare', async () => (await import('./compare.ts')).compareCommand()],
  ['doctor', async () => (await import('./doctor.ts')).doctorCommand()],
  ['init', async () => (await import('./init.ts')).initCommand()],
  ['pin', async () => (await import('./pin.ts')).pinCommand()],
  ['list', async () => (await import('./list.ts')).listCommand()],
  ['explain', async () => (await import('./explain.ts')).explainCommand()],
  ['serve', async () => (await import('./serve.ts')).serveCommand()],
  ['merchant', async () => (await import('./merchant.ts')).merchantCommand()],
  ['sign', async () => (await import('./sign.ts')).signCommand()],
]);

// The reader of the output, such as `head`, may close it early. The command still runs to its end and sets its exit code.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

// An error that nobody caught ends the process, and so does work that can never end. Neither may look like a verdict.
for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (error: unknown) => process.exit(tellFault(error)));
}
process.on('exit', (code) => {
  if (code === neverSettled)
    process.exitCode = tellFault(new Error('the command waits for something that cannot come'));
});

const program = new Command('assay')
  .description('Judges implementations of the Merchant Stablecoin Payment API, and brings a reference implementation.')
  .version(version)
  .addHelpCommand(new Command('help').argument('[command]').summary('show the help of a command').helpGroup('Look up:'))
  .exitOverride()
  .addHelpText('after', '\nBegin with assay run, which judges the reference server itself. Each command has --help.')
  .showHelpAfterError('(see assay --help)');

try {
  const called = commands.get(process.argv[2] ?? '');
  for (const load of called ? [called] : commands.values()) {
    program.addCommand((await load()).exitOverride());
  }
  await program.parseAsync();
} catch (error) {
  process.exitCode = exitCodeOf(error);
}

/** Prints an error of assay itself and returns its exit code. */
function tellFault(error: unknown): number {
  const stack = redact(stackOf(error), environmentSecrets(process.env));
  process.stderr.write(`assay: a fault of assay itself, not of the target:\n${printableLines(stack)}\n`);
  return 70;
}

/** Prints an error, unless commander has printed it already, and returns its exit code. */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof UsageError) {
    process.stderr.write(`assay: ${printableLines(error.message)}\n`);
    return 2;
  }
  if (error instanceof Unreachable) {
    process.stderr.write(`assay: could not judge: ${printableLines(error.message)}\n`);
    return 3;
  }
  return tellFault(error);
}
