import { randomBytes } from 'node:crypto';
import { accessSync, constants, lstatSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { messageOf } from '../errors/message-of.ts';
import { UsageError } from '../errors/usage-errors.ts';
import type { History } from '../history/records.ts';
import { reportFormats } from '../reporters/formats.ts';
import { makeFolder } from '../run/make-folder.ts';
import type { Report } from '../run/report.ts';
import { didYouMean } from '../text/did-you-mean.ts';
import { tellLostOutput } from './lost-output.ts';

/** A report that the user asks for. The path `-` is stdout. */
export interface ReportFile {
  format: string;
  path: string;
}

/** Reads one value of `--report`, FORMAT=PATH, and adds it to the ones before. */
export const reportFile = reportFileOf(Object.keys(reportFormats));

/** A function that reads one value of a flag, FORMAT=PATH with one of these formats, and adds it to the ones before. */
export function reportFileOf(names: readonly string[]) {
  return (value: string, before: ReportFile[] = []): ReportFile[] => fileIn(value, before, names);
}

function fileIn(value: string, before: ReportFile[], names: readonly string[]): ReportFile[] {
  const [, format = '', path = ''] = /^([^=]*)=(.+)$/s.exec(value) ?? [];
  if (path === '') throw new InvalidArgumentError(`It is FORMAT=PATH, with a format of ${names.join(', ')}.`);
  if (!names.includes(format)) {
    throw new InvalidArgumentError(
      `There is no such format; it is one of ${names.join(', ')}${didYouMean(format, names) || '.'}`,
    );
  }
  if (before.some((each) => each.path === path)) {
    throw new InvalidArgumentError(`${path === '-' ? 'stdout' : path} is taken by another report.`);
  }
  return [...before, { format, path }];
}

/** Makes missing folders. Throws `UsageError` when a report could not be written after the run. */
export function expectWritable(files: readonly ReportFile[]): void {
  for (const { path } of files.filter((each) => each.path !== '-')) {
    try {
      makeFolder(dirname(path));
      const there = lstatSync(path, { throwIfNoEntry: false });
      if (there?.isDirectory()) throw new Error('it is a folder');
      if (there) accessSync(path, constants.W_OK);
      if (!there || there.isFile()) accessSync(dirname(path), constants.W_OK);
    } catch (error) {
      throw new UsageError(cannotWrite(path, error));
    }
  }
}

/** Writes every report that can be written, and says on stderr which one cannot. */
export function writeReports(files: readonly ReportFile[], report: Report, history: () => History): void {
  writeFiles(files, ({ format }) => reportFormats[format]?.(report, history) ?? '');
}

/** Writes every file that can be written, with the text that is made for it, and says on stderr which one cannot. */
export function writeFiles(files: readonly ReportFile[], textFor: (file: ReportFile) => string): void {
  for (const file of files) {
    try {
      write(file.path, textFor(file));
    } catch (error) {
      tellLostOutput(cannotWrite(file.path, error));
    }
  }
}

/** Writes a report. A regular file is replaced at once, so that nobody reads half a report. Pipes, devices and links are written to directly. */
function write(path: string, text: string): void {
  if (path === '-') {
    process.stdout.write(text);
    return;
  }
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (there && !there.isFile()) {
    writeFileSync(path, text);
    return;
  }
  const beside = `${path}.${randomBytes(4).toString('hex')}.part`;
  try {
    writeFileSync(beside, text, { mode: there?.mode ?? 0o666 });
    renameSync(beside, path);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
}

function cannotWrite(path: string, error: unknown): string {
  return `--report: ${path} cannot be written: ${messageOf(error)}`;
}
