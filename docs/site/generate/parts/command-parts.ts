import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { compareCommand } from '../../../../conformance/cli/compare.ts';
import { doctorCommand } from '../../../../conformance/cli/doctor.ts';
import { explainCommand } from '../../../../conformance/cli/explain.ts';
import { initCommand } from '../../../../conformance/cli/init.ts';
import { judgeCommand } from '../../../../conformance/cli/judge.ts';
import { listCommand } from '../../../../conformance/cli/list.ts';
import { merchantCommand } from '../../../../conformance/cli/merchant.ts';
import { pinCommand } from '../../../../conformance/cli/pin.ts';
import { proveCommand } from '../../../../conformance/cli/prove.ts';
import { runCommand } from '../../../../conformance/cli/run.ts';
import { serveCommand } from '../../../../conformance/cli/serve.ts';
import { signCommand } from '../../../../conformance/cli/sign.ts';
import { configurationSchema } from '../../../../conformance/run/configuration-schema.ts';
import { exitCodes } from '../../../../conformance/run/exit-codes.ts';
import { rootFolder } from '../../folders.ts';
import { blocks, code, fence, table, text } from '../markdown.ts';
import type { Part } from './part.ts';

/** Every command of assay, by its name. */
export const commands: Readonly<Record<string, () => Command>> = {
  run: runCommand,
  judge: judgeCommand,
  compare: compareCommand,
  prove: proveCommand,
  pin: pinCommand,
  doctor: doctorCommand,
  init: initCommand,
  list: listCommand,
  explain: explainCommand,
  serve: serveCommand,
  merchant: merchantCommand,
  sign: signCommand,
};

/** `command name=…`: the help text that a command and its subcommands print. */
export const command: Part = {
  options: { name: { values: Object.keys(commands) } },
  make: ({ name = '' }) => {
    const made = commands[name]?.();
    if (!made) throw new Error(`there is no command ${name}`);
    new Command('assay').addCommand(made);
    return blocks([made, ...made.commands].map((each) => fence('text', helpOf(each))));
  },
};

/** Everything that `--help` prints, with what follows the options. */
function helpOf(shown: Command): string {
  let printed = '';
  const writeOut = (written: string) => {
    printed += written;
  };
  shown.configureHelp({ helpWidth }).configureOutput({ writeOut }).outputHelp();
  return wrapped(printed.trim());
}

/** How many characters of a line a page shows without scrolling. */
const helpWidth = 96;

/** Breaks long lines at a space. Their other parts stand below the last column; where there are no columns, lines are joined first. */
function wrapped(help: string): string {
  return help
    .replaceAll(/(?<=^\S.{80,})\n(?=\S)/gm, ' ')
    .split('\n')
    .flatMap((line) => {
      const column = Math.max(0, ...[...line.matchAll(/ {2,}(?=\S)/g)].map(({ index, 0: gap }) => index + gap.length));
      const rows: string[] = [];
      let rest = line;
      while (rest.length > helpWidth) {
        const end = rest.lastIndexOf(' ', helpWidth);
        if (end <= column) break;
        rows.push(rest.slice(0, end));
        rest = ' '.repeat(column) + rest.slice(end + 1);
      }
      return [...rows, rest];
    })
    .join('\n');
}

/** A setting in the schema of the configuration. */
interface Setting {
  readonly type?: unknown;
  readonly description?: unknown;
  readonly properties?: unknown;
  readonly items?: unknown;
}

/** `configuration`: every setting of assay.yaml. */
export const configuration: Part = {
  options: {},
  make: () => table(['Setting', 'Value'], settings(configurationSchema, '')),
};

function settings(schema: Setting, prefix: string): string[][] {
  return children(schema.properties).flatMap(([name, setting]) => {
    const path = `${prefix}${name}`;
    if (path === 'open-points')
      return [[code('open-points.ID'), 'one of the values of that [open point](/open-points)']];
    return setting.properties === undefined ? [[code(path), permitted(setting)]] : settings(setting, `${path}.`);
  });
}

function children(properties: unknown): [name: string, setting: Setting][] {
  return typeof properties === 'object' && properties !== null ? Object.entries(properties) : [];
}

function permitted({ description, items }: Setting): string {
  const values = typeof items === 'object' && items !== null && 'enum' in items ? items.enum : [];
  const among =
    Array.isArray(values) && values.length > 0 ? ` of ${values.map((value) => code(String(value))).join(', ')}` : '';
  return `${text(String(description))}${among}`;
}

/** `driver-interface`: the interface of a driver, copied from its source. */
export const driverInterface: Part = {
  options: {},
  make: () => {
    const source = readFileSync(join(rootFolder, 'conformance/drivers/driver.ts'), 'utf8');
    const from = source.indexOf('/** The credentials that sign');
    const to = source.indexOf("/** The names of a driver's steps");
    if (from < 0 || to < from)
      throw new Error('conformance/drivers/driver.ts no longer has its interface between the two comments');
    return fence('ts', source.slice(from, to));
  },
};

/** `exit-codes`: what each exit code of `assay run` means. */
export const exitCodeTable: Part = {
  options: {},
  make: () => table(['Code', 'Meaning'], Object.entries(exitCodes)),
};
