import { readFileSync } from 'node:fs';
import { Command, InvalidArgumentError, Option } from 'commander';
import { type RunningServer, startServer } from '../../server/main.ts';
import { createLogger, type Logger } from '../../server/operations/logger.ts';
import { readSeed } from '../../server/operations/seed.ts';
import { UsageError } from '../configuration.ts';
import { version } from '../version.ts';
import { type DatabaseFlags, databaseOf, withDatabase } from './database.ts';

interface ServeFlags extends DatabaseFlags {
  host: string;
  port: number;
  publicUrl?: string;
  mode: 'sandbox' | 'production';
  controlToken?: string;
  metricsPort?: number;
  config?: string;
}

/** `assay serve`: the reference server. Prints one line of JSON on stdout once it accepts requests. */
export function serveCommand(): Command {
  return withDatabase(new Command('serve'))
    .description('Start the reference server. Prints one line of JSON with its addresses once it accepts requests.')
    .option('--host <host>', 'address to listen on', '127.0.0.1')
    .option('--port <port>', 'port to listen on; 0 takes a free one', port, 8080)
    .option('--public-url <url>', 'address under which merchants and customers reach it (default: where it listens)')
    .addOption(
      new Option('--mode <mode>', 'sandbox has the control API').choices(['sandbox', 'production']).default('sandbox'),
    )
    .option('--control-token <token>', 'of the control API (environment: ASSAY_CONTROL_TOKEN; default: a new one)')
    .option('--metrics-port <port>', 'port of the metrics, on the same host; 0 takes a free one (default: none)', port)
    .option('--config <file>', 'YAML with merchants that are made where they are not there yet')
    .action(serve);
}

async function serve(flags: ServeFlags): Promise<void> {
  const { host, port, mode, publicUrl, metricsPort, config } = flags;
  const controlToken = flags.controlToken ?? process.env.ASSAY_CONTROL_TOKEN;
  const seed = config === undefined ? [] : seedOf(config);
  const logger = createLogger();
  const server = await startServer({
    host,
    port,
    mode,
    database: databaseOf(flags),
    implementation: `assay/${version}`,
    seed,
    logger,
    ...(publicUrl !== undefined && { publicUrl: publicUrl.replace(/\/$/, '') }),
    ...(controlToken !== undefined && { controlToken }),
    ...(metricsPort !== undefined && { metricsPort }),
  }).catch((error: unknown) => {
    throw new UsageError(`the server did not start: ${error instanceof Error ? error.message : String(error)}`);
  });
  const { url, control, controlToken: token } = server;
  process.stdout.write(`${JSON.stringify({ url, ...(control && { control, controlToken: token }) })}\n`);
  endOnSignal(server, logger);
}

/** The first signal ends the server in order; a second one, whichever, ends the process at once, as it would without us. */
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

function seedOf(file: string) {
  let yaml: string;
  try {
    yaml = readFileSync(file, 'utf8');
  } catch {
    throw new UsageError(`--config: there is no file ${file} that can be read`);
  }
  try {
    return readSeed(yaml, file, process.env);
  } catch (error) {
    throw new UsageError(`--config: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function port(value: string): number {
  const number = Number(value);
  if (!/^[0-9]+$/.test(value) || number > 65_535)
    throw new InvalidArgumentError('It is a whole number from 0 to 65535.');
  return number;
}
