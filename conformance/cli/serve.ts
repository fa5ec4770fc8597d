import { readFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import { contraryChoices, referenceChoices } from '../../generated/catalogue.ts';
import type { Choices } from '../../generated/catalogue-ids.ts';
import type { RunningServer } from '../../server/main.ts';
import type { Logger } from '../../server/runtime/logger.ts';
import type { SeedMerchant } from '../../server/services/control/merchants.ts';
import { counted } from '../contract/counted.ts';
import { messageOf } from '../errors/message-of.ts';
import { UsageError } from '../errors/usage-errors.ts';
import { version } from '../run/version.ts';
import { printable } from '../text/printable.ts';
import { wholeNumber } from './arguments.ts';
import { type DatabaseFlags, databaseOf, encryptionKeys, withDatabase } from './database.ts';
import { endWithoutWarning, endWithSupervisor, isSupervised, supervise } from './supervise.ts';

interface ServeFlags extends DatabaseFlags {
  host: string;
  port: number;
  publicUrl?: string;
  mode: 'sandbox' | 'production';
  controlToken?: string;
  metricsPort?: number;
  choices: string;
  config?: string;
  supervised?: true;
}

const highestPort = 65_535;

/** `assay serve`: starts the reference server. Prints one line of JSON on stdout when the server accepts requests. */
export function serveCommand(): Command {
  return withDatabase(new Command('serve'))
    .description('Start the reference server. Prints one line of JSON with its addresses once it accepts requests.')
    .option('--host <host>', 'address to listen on', '127.0.0.1')
    .option('--port <port>', 'port to listen on; 0 takes a free one', wholeNumber(0, highestPort), 8080)
    .option(
      '--public-url <url>',
      'address at which merchants and customers reach it (default: the address on which it listens)',
    )
    .addOption(
      new Option('--mode <mode>', 'sandbox has the control API').choices(['sandbox', 'production']).default('sandbox'),
    )
    .option(
      '--control-token <token>',
      'token of the control API, at least 16 characters (environment: ASSAY_CONTROL_TOKEN; default: a new one)',
    )
    .option(
      '--metrics-port <port>',
      'port of the metrics, on the same host; 0 takes a free one (default: none)',
      wholeNumber(0, highestPort),
    )
    .option(
      '--choices <choices>',
      'behaviour at the open points of the contract: default, contrary (another permitted value at each point where this server has another), a YAML file ' +
        'with open points and values, or a JSON report of a run, whose target the sandbox then decides like',
      'default',
    )
    .option('--config <file>', 'YAML file with merchants, which are made if they do not exist')
    .option(
      '--supervised',
      'start the server again when it is killed, and let the control API kill it, to see what survives; sandbox only',
    )
    .action(serve);
}

async function serve(flags: ServeFlags): Promise<void> {
  const { host, port, mode, publicUrl, metricsPort, choices, config, supervised } = flags;
  if (supervised && mode === 'production') {
    throw new UsageError('--supervised needs --mode sandbox: it lets the control API kill the server');
  }
  if (flags.controlToken !== undefined && mode === 'production') {
    throw new UsageError('--control-token needs --mode sandbox: production mode has no control API');
  }
  if (supervised && !isSupervised()) return supervise();
  const controlToken = flags.controlToken ?? process.env.ASSAY_CONTROL_TOKEN;
  const seed = config === undefined ? [] : await seedOf(config);
  // Loaded here, because the help of all commands needs none of it.
  const [{ startServer }, { createLogger }] = await Promise.all([
    import('../../server/main.ts'),
    import('../../server/runtime/logger.ts'),
  ]);
  const logger = createLogger();
  const server = await startServer({
    host,
    port,
    mode,
    database: databaseOf(flags),
    encryptionKeys: encryptionKeys(),
    implementation: `assay/${version}`,
    choices: await choicesOf(choices),
    seed,
    logger,
    ...(publicUrl !== undefined && { publicUrl: publicUrl.replace(/\/$/, '') }),
    ...(controlToken !== undefined && { controlToken }),
    ...(metricsPort !== undefined && { metricsPort }),
    ...(supervised && { restart: endWithoutWarning }),
  }).catch((error: unknown) => {
    throw new UsageError(`the server did not start: ${messageOf(error)}`);
  });
  const { url, control, controlToken: token } = server;
  // This stands before the output, because its reader may end the server at once.
  endOnSignal(server, logger);
  if (supervised) endWithSupervisor();
  process.stdout.write(`${JSON.stringify({ url, ...(control && { control, controlToken: token }) })}\n`);
}

/** Ends the server in order at the first signal. A second signal of either kind ends the process at once. */
function endOnSignal(server: RunningServer, logger: Logger): void {
  const signals = ['SIGINT', 'SIGTERM'] as const;
  const end = () => {
    for (const signal of signals) process.off(signal, end);
    server.close().catch((error: unknown) => {
      logger.error({ error }, 'stopping failed');
      process.exitCode = 1;
    });
  };
  for (const signal of signals) process.on(signal, end);
}

async function choicesOf(name: string): Promise<Choices> {
  if (name === 'default') return referenceChoices;
  if (name === 'contrary') return contraryChoices;
  if (name.endsWith('.json')) return choicesOfReport(name);
  const { readChoices } = await import('../../server/setup/choices.ts');
  return read('--choices', name, (yaml) => readChoices(yaml, name));
}

/** The choices of the target that a run has reported on. Says on stderr which points the sandbox decides otherwise. */
async function choicesOfReport(file: string): Promise<Choices> {
  const { readReport } = await import('./read-report.ts');
  const { observedChoices } = await import('./observed-choices.ts');
  const report = readReport(file);
  const { choices, taken, left } = observedChoices(report);
  process.stderr.write(
    `the sandbox decides ${counted(taken, 'open point')} like ${printable(report.target)}, and ${left.length} like the reference server:\n`,
  );
  for (const { id, why } of left) process.stderr.write(`  ${id}: ${printable(why)}\n`);
  return choices;
}

async function seedOf(file: string): Promise<SeedMerchant[]> {
  const { readSeed } = await import('../../server/setup/seed.ts');
  return read('--config', file, (yaml) => readSeed(yaml, file, process.env));
}

/** Reads and parses the file of a flag. Throws `UsageError`. */
function read<Content>(flag: string, file: string, parse: (text: string) => Content): Content {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    throw new UsageError(`${flag}: the file ${file} cannot be read`);
  }
  try {
    return parse(text);
  } catch (error) {
    throw new UsageError(`${flag}: ${messageOf(error)}`);
  }
}
