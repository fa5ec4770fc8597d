import { existsSync, writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { isMap, parseDocument } from 'yaml';
import { counted } from '../contract/counted.ts';
import { messageOf } from '../errors/message-of.ts';
import { UsageError } from '../errors/usage-errors.ts';
import { configurationFile, configurationText, defaultFile, parseConfiguration } from '../run/configuration.ts';
import { type LastRun, readLastRun } from '../run/last-run.ts';

/** `assay pin`: writes how the target of the last run decides the open points into the configuration. */
export function pinCommand(): Command {
  return new Command('pin')
    .description(
      `Write the observed answers of the last run in this folder into the configuration, as open-points. From then on a run fails when the target decides one of them otherwise. Points that are pinned already stay as they are.`,
    )
    .option('--config <file>', `the configuration file (default: ${defaultFile}, which is made if it does not exist)`)
    .action(pin);
}

function pin({ config }: { config?: string }): void {
  const last = readLastRun();
  if (!last) throw new UsageError('no run was kept in this folder; run assay run first');
  const path = configurationFile(config) ?? defaultFile;
  const before = existsSync(path) ? configurationText(path) : '';
  // The file is read as a configuration first, so that a mistake in it is named and nothing is written.
  const { 'open-points': pinned = {} } = parseConfiguration(before, path, process.env);
  const known = new Set(Object.keys(pinned));
  const observed = observedValues(last).filter(({ id }) => !known.has(id));
  const told = observed.flatMap(({ id, values }) => (values.length === 1 ? [[id, values[0]] as const] : []));
  const unclear = observed.filter(({ values }) => values.length > 1);

  const document = parseDocument(before);
  if (!isMap(document.get('open-points'))) document.set('open-points', document.createNode({}));
  for (const [id, value] of told) document.setIn(['open-points', id], value);
  if (told.length > 0) write(path, document.toString({ lineWidth: 0 }));

  for (const [id, value] of told) process.stdout.write(`${id}: ${value}\n`);
  for (const { id, values } of unclear) process.stderr.write(`not pinned: ${id} was both ${values.join(' and ')}\n`);
  process.stderr.write(
    `pinned ${counted(told.length, 'open point')} in ${path}; ${counted(known.size, 'was', 'were')} pinned already\n`,
  );
}

function write(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch (error) {
    throw new UsageError(`${path} cannot be written: ${messageOf(error)}`);
  }
}

/** The values of the register that each open point was seen to have. */
function observedValues({ openPoints }: LastRun): { id: string; values: string[] }[] {
  return openPoints.map(({ id, observed }) => ({
    id,
    values: [...new Set(observed.flatMap(({ value }) => value ?? []))],
  }));
}
