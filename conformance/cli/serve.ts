import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { startServer } from '../../server/main.ts';
import { UsageError } from '../configuration.ts';
import { version } from '../version.ts';

interface ServeFlags {
  host: string;
  port: number;
  publicUrl?: string;
  database?: string;
  data: string;
  mode: 'sandbox' | 'production';
  controlToken?: string;
}

/** `assay serve`: the reference server. Prints one line of JSON on stdout once it accepts requests. */
export function serveCommand(): Command {
  return new Command('serve')
    .description('Start the reference server. Prints one line of JSON with its addresses once it accepts requests.')
    .option('--host <host>', 'address to listen on', '127.0.0.1')
    .option('--port <port>', 'port to listen on; 0 takes a free one', port, 8080)
    .option('--public-url <url>', 'address under which merchants and customers reach it (default: where it listens)')
    .option('--database <url>', 'a PostgreSQL server, postgres://…, instead of a file')
    .option('--data <dir>', 'folder of the database file; made where there is none', '.assay')
    .addOption(
      new Option('--mode <mode>', 'sandbox has the control API').choices(['sandbox', 'production']).default('sandbox'),
    )
    .option('--control-token <token>', 'of the control API (environment: ASSAY_CONTROL_TOKEN; default: a new one)')
    .action(serve);
}

async function serve(flags: ServeFlags): Promise<void> {
  const { host, port, mode, publicUrl } = flags;
  const controlToken = flags.controlToken ?? process.env.ASSAY_CONTROL_TOKEN;
  const database = databaseOf(flags);
  const server = await startServer({
    host,
    port,
    mode,
    database,
    implementation: `assay/${version}`,
    ...(publicUrl !== undefined && { publicUrl: publicUrl.replace(/\/$/, '') }),
    ...(controlToken !== undefined && { controlToken }),
  }).catch((error: unknown) => {
    throw new UsageError(`the server did not start: ${error instanceof Error ? error.message : String(error)}`);
  });
  const { url, control, controlToken: token } = server;
  process.stdout.write(`${JSON.stringify({ url, ...(control && { control, controlToken: token }) })}\n`);
  if (!flags.database) process.stderr.write(`data: ${database}\n`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    // A second signal ends the process at once, as it would without us.
    process.once(signal, () => void server.close());
  }
}

function databaseOf({ database, data }: ServeFlags): string {
  if (database !== undefined) {
    if (!/^postgres(ql)?:\/\//.test(database)) {
      throw new UsageError(
        '--database: must be the address of a PostgreSQL server; for a file, give its folder with --data',
      );
    }
    return database;
  }
  mkdirSync(data, { recursive: true });
  return join(data, 'assay.sqlite');
}

function port(value: string): number {
  const number = Number(value);
  if (!/^[0-9]+$/.test(value) || number > 65_535)
    throw new InvalidArgumentError('It is a whole number from 0 to 65535.');
  return number;
}
