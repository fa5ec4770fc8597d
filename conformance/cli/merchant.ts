import { readFileSync } from 'node:fs';
import { Command, InvalidArgumentError } from 'commander';
import { SandboxRefusal } from '../../server/services/control/sandbox-refusal.ts';
import type { MerchantAdmin } from '../../server/setup/merchant-admin.ts';
import { counted } from '../contract/counted.ts';
import { messageOf } from '../errors/message-of.ts';
import { UsageError } from '../errors/usage-errors.ts';
import { type DatabaseFlags, databaseOf, encryptionKeys, withDatabase } from './database.ts';

/** An hour, in milliseconds. */
const hour = 3_600_000;

/** `assay merchant`: makes and lists merchants and rotates their keys. A server may be using the same database. */
export function merchantCommand(): Command {
  return new Command('merchant')
    .description('Make and list the merchants of a database. A server may be running on it.')
    .addCommand(createCommand().exitOverride())
    .addCommand(listCommand().exitOverride())
    .addCommand(rotateKeyCommand().exitOverride())
    .addCommand(reEncryptCommand().exitOverride());
}

function createCommand(): Command {
  return withDatabase(new Command('create'))
    .description('Make a merchant. Prints one line of JSON with its credentials; the secret is shown only this once.')
    .option('--settings <file>', 'JSON with settings as in the control API; - reads standard input')
    .action(async (flags: DatabaseFlags & { settings?: string }) => {
      const settings = flags.settings === undefined ? {} : readJson(flags.settings);
      const { merchantId, apiKey, apiSecret } = await using(databaseOf(flags), (admin) =>
        admin.createMerchant(settings),
      );
      printJson({ merchantId, apiKey, apiSecret });
    });
}

function listCommand(): Command {
  return withDatabase(new Command('list'))
    .description('List the merchants: id, time of creation, number of active keys.')
    .option('--json', 'as JSON')
    .action(async (flags: DatabaseFlags & { json?: boolean }) => {
      const found = await using(databaseOf(flags, { existing: true }), (admin) => admin.listMerchants());
      const merchants = found.map((each) => ({ ...each, createdAt: new Date(each.createdAt).toISOString() }));
      if (flags.json) return printJson(merchants);
      const width = Math.max(0, ...merchants.map(({ merchantId }) => merchantId.length));
      for (const { merchantId, createdAt, activeKeys } of merchants) {
        process.stdout.write(`${merchantId.padEnd(width)}  ${createdAt}  ${counted(activeKeys, 'active key')}\n`);
      }
    });
}

function rotateKeyCommand(): Command {
  return withDatabase(new Command('rotate-key'))
    .description(
      'Make a new key for a merchant, and end its other keys. Prints one line of JSON; the secret is shown only this once. ' +
        'From now on the new key signs webhooks, and the other keys sign them too while they work.',
    )
    .argument('<merchant>', 'its id')
    .option('--overlap-hours <hours>', 'how long the other keys still work; 0 ends them now (default: 24)', hours)
    .action(async (merchant: string, flags: DatabaseFlags & { overlapHours?: number }) => {
      const { key, othersEndAt } = await using(databaseOf(flags, { existing: true }), (admin) =>
        admin.rotateKey(merchant, flags.overlapHours ?? 24 * hour),
      );
      const { merchantId, apiKey, apiSecret } = key;
      printJson({ merchantId, apiKey, apiSecret, othersEndAt: new Date(othersEndAt).toISOString() });
    });
}

function reEncryptCommand(): Command {
  return withDatabase(new Command('re-encrypt'))
    .description(
      'Encrypt the secrets of all keys under ASSAY_ENCRYPTION_KEY. Secrets under a key of ASSAY_ENCRYPTION_KEYS_OLD and ' +
        'secrets in plain text are included. Prints their number.',
    )
    .action(async (flags: DatabaseFlags) => {
      if (encryptionKeys().length === 0) throw new UsageError('re-encrypt needs a key in ASSAY_ENCRYPTION_KEY');
      printJson({ reEncrypted: await using(databaseOf(flags, { existing: true }), (admin) => admin.reEncrypt()) });
    });
}

/** Does `work` on a database. Throws `UsageError` when the database cannot be used or the work is refused. */
async function using<T>(database: string, work: (admin: MerchantAdmin) => Promise<T>): Promise<T> {
  // Loaded here, because the help of all commands needs none of it.
  const { openMerchantAdmin } = await import('../../server/setup/merchant-admin.ts');
  const admin = await openMerchantAdmin(database, encryptionKeys()).catch((error: unknown) => {
    throw new UsageError(messageOf(error));
  });
  try {
    return await work(admin);
  } catch (error) {
    if (error instanceof SandboxRefusal) throw new UsageError(error.message);
    throw error;
  } finally {
    await admin.close();
  }
}

function readJson(file: string): unknown {
  const name = file === '-' ? 'standard input' : file;
  try {
    return JSON.parse(readFileSync(file === '-' ? 0 : file, 'utf8'));
  } catch (error) {
    const problem = error instanceof SyntaxError ? 'is not JSON' : 'cannot be read';
    throw new UsageError(`--settings: ${name} ${problem}`);
  }
}

function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** Reads a number of hours, at most those of a year, into milliseconds. */
function hours(value: string): number {
  const number = Number(value);
  if (!/^[0-9]+(\.[0-9]+)?$/.test(value) || number > 8_760) {
    throw new InvalidArgumentError('It is a number of hours from 0 to 8760.');
  }
  return Math.round(number * hour);
}
