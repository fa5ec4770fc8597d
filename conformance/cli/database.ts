import { accessSync, constants, existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { type EncryptionKeys, readEncryptionKeys } from '../../server/storage/secret-box.ts';
import { messageOf } from '../errors/message-of.ts';
import { UsageError } from '../errors/usage-errors.ts';
import { makeFolder, ownerOnly } from '../run/make-folder.ts';

/** The flags that name a database. */
export interface DatabaseFlags {
  database?: string;
  data: string;
}

/** Adds the flags of the database to a command. */
export function withDatabase(command: Command): Command {
  return command
    .option('--database <url>', 'a PostgreSQL server, postgres://…, instead of a file')
    .option('--data <dir>', 'folder of the database file; made if it does not exist', '.assay');
}

/** The place of the database: a PostgreSQL address or the path of a file. With `existing`, the file must exist. Throws `UsageError`. */
export function databaseOf({ database, data }: DatabaseFlags, { existing = false } = {}): string {
  if (database !== undefined) {
    if (!/^postgres(ql)?:\/\//.test(database)) {
      throw new UsageError(
        '--database: must be the address of a PostgreSQL server; for a file, give its folder with --data',
      );
    }
    return database;
  }
  const file = join(data, 'assay.sqlite');
  if (existing && !existsSync(file)) {
    throw new UsageError(`--data: there is no database in ${data}; assay serve and assay merchant create make one`);
  }
  try {
    makeFolder(data, ownerOnly);
    accessSync(data, constants.W_OK);
  } catch (error) {
    throw new UsageError(
      `--data: the folder ${data} cannot be made or written to: ${messageOf(error)}; give a folder in which this user may write`,
    );
  }
  return file;
}

/** The keys of the secrets in the database, from the environment. Throws `UsageError`. */
export function encryptionKeys(): EncryptionKeys {
  try {
    return readEncryptionKeys(process.env);
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}
