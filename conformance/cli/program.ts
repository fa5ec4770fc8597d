import { Command, CommanderError } from 'commander';
import { stackOf } from '../errors/message-of.ts';
import { Unreachable, UsageError } from '../errors/usage-errors.ts';
import { version } from '../run/version.ts';
import { printableLines } from '../text/printable.ts';
import { environmentSecrets, redact } from '../text/redact.ts';

/** The commands by name. Only the called command is loaded, because loading all of them takes long. */
const commands = new Map<string, () => Promise<Command>>([
  ['run', async () => (await import('./run.ts')).runCommand()],
  ['judge', async () => (await import('./judge.ts')).judgeCommand()],
  ['compare', async () => (await import('./compare.ts')).compareCommand()],
  ['prove', async () => (await import('./prove.ts')).proveCommand()],
  ['doctor', async () => (await import('./doctor.ts')).doctorCommand()],
  ['init', async () => (await import('./init.ts')).initCommand()],
  ['pin', async () => (await import('./pin.ts')).pinCommand()],
  ['list', async () => (await import('./list.ts')).listCommand()],
  ['explain', async () => (await import('./explain.ts')).explainCommand()],
  ['serve', async () => (await import('./serve.ts')).serveCommand()],
  ['merchant', async () => (await import('./merchant.ts')).merchantCommand()],
  ['sign', async () => (await import('./sign.ts')).signCommand()],
]);

/** Calls the command that `args` begins with, or shows the help. Prints its errors and sets `process.exitCode`. Never rejects. */
export async function callCommand(args: readonly string[]): Promise<void> {
  const program = new Command('assay')
    .description(
      'Judges implementations of the Merchant Stablecoin Payment API, and brings a reference implementation.',
    )
    .version(version)
    .addHelpCommand(
      new Command('help').argument('[command]').summary('show the help of a command').helpGroup('Look up:'),
    )
    .exitOverride()
    .addHelpText('after', '\nBegin with assay run, which judges the reference server itself. Each command has --help.')
    .showHelpAfterError('(see assay --help)');

  try {
    const called = commands.get(args[0] ?? '');
    for (const load of called ? [called] : commands.values()) {
      program.addCommand((await load()).exitOverride());
    }
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    process.exitCode = exitCodeOf(error);
  }
}

/** Prints an error of assay itself and returns its exit code. */
export function tellFault(error: unknown): number {
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
