import { Command, CommanderError } from 'commander';
import { stackOf } from '../errors/message-of.ts';
import { Unreachable, UsageError } from '../errors/usage-errors.ts';
import { version } from '../run/version.ts';
import { printableLines } from '../text/printable.ts';
import { environmentSecrets, redact } from '../text/redact.ts';

/** A command as the list of commands shows it. */
interface ListedCommand {
  /** The heading above it. */
  group: string;
  summary: string;
  /** What follows the name of the command. */
  usage: string;
  load(): Promise<Command>;
}

const [judging, lookingUp, building] = ['Judge an implementation:', 'Look up:', 'Build against the sandbox:'];

/** The commands by name. Only a called command is loaded, because loading takes long. */
export const commands: ReadonlyMap<string, ListedCommand> = new Map(
  Object.entries({
    run: {
      group: judging,
      summary: 'run the conformance checks against a target',
      usage: '[options]',
      load: async () => (await import('./run.ts')).runCommand(),
    },
    judge: {
      group: judging,
      summary: 'judge a recorded history, without a target',
      usage: '[options] <file>',
      load: async () => (await import('./judge.ts')).judgeCommand(),
    },
    compare: {
      group: judging,
      summary: 'compare the JSON reports of runs',
      usage: '[options] <reports...>',
      load: async () => (await import('./compare.ts')).compareCommand(),
    },
    prove: {
      group: judging,
      summary: 'count the faults that your pipeline would notice',
      usage: '[options]',
      load: async () => (await import('./prove.ts')).proveCommand(),
    },
    doctor: {
      group: judging,
      summary: 'check that everything is in place for a run',
      usage: '[options]',
      load: async () => (await import('./doctor.ts')).doctorCommand(),
    },
    init: {
      group: judging,
      summary: 'write a commented assay.yaml',
      usage: '[options]',
      load: async () => (await import('./init.ts')).initCommand(),
    },
    pin: {
      group: judging,
      summary: 'pin the open points as the last run observed them',
      usage: '[options]',
      load: async () => (await import('./pin.ts')).pinCommand(),
    },
    list: {
      group: lookingUp,
      summary: 'list every check',
      usage: '[options]',
      load: async () => (await import('./list.ts')).listCommand(),
    },
    explain: {
      group: lookingUp,
      summary: 'explain a requirement, check, error code, open point or operation',
      usage: '[options] <id>',
      load: async () => (await import('./explain.ts')).explainCommand(),
    },
    serve: {
      group: building,
      summary: 'start the reference server',
      usage: '[options]',
      load: async () => (await import('./serve.ts')).serveCommand(),
    },
    merchant: {
      group: building,
      summary: 'make and list merchants of a database',
      usage: '[options] [command]',
      load: async () => (await import('./merchant.ts')).merchantCommand(),
    },
    sign: {
      group: building,
      summary: 'show how a request is signed, or name the mistake in a wrong signature',
      usage: '[options] <method> <path>',
      load: async () => (await import('./sign.ts')).signCommand(),
    },
  }),
);

/** Calls the command that `args` begins with, or shows the help. Prints its errors and sets `process.exitCode`. Never rejects. */
export async function callCommand(args: readonly string[]): Promise<void> {
  const program = new Command('assay')
    .description(
      'Judges implementations of the Merchant Stablecoin Payment API, and brings a reference implementation.',
    )
    .version(version)
    .addHelpCommand(
      new Command('help')
        .argument('[command]')
        .usage('[command]')
        .summary('show the help of a command')
        .helpGroup(lookingUp),
    )
    .configureHelp({ subcommandTerm: (each) => `${each.name()} ${each.usage()}` })
    .exitOverride()
    .addHelpText('after', '\nBegin with assay run, which judges the reference server itself. Each command has --help.')
    .showHelpAfterError('(see assay --help)');

  try {
    for (const name of commands.has(args[0] ?? '') ? args.slice(0, 1) : commands.keys()) {
      program.addCommand((await named(name, args)).exitOverride());
    }
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    process.exitCode = exitCodeOf(error);
  }
}

/** The command of that name, with no more than the list of commands shows unless `args` name it. */
async function named(name: string, args: readonly string[]): Promise<Command> {
  const listed = commands.get(name);
  if (!listed) throw new Error(`there is no command ${name}`);
  const { group, summary, usage, load } = listed;
  const command = args.includes(name) ? await load() : new Command(name).usage(usage);
  return command.helpGroup(group).summary(summary);
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
