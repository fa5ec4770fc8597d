import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { parseJson } from '../contract/json.ts';
import { UsageError } from '../errors/usage-errors.ts';
import schema from '../reporters/report.schema.json' with { type: 'json' };
import type { Report } from '../run/report.ts';

const ajv = new Ajv2020({ strict: false });
formats.default(ajv);
const isReport = ajv.compile<Report>(schema);

/** Reads a JSON report of a run. Throws `UsageError` when the file is none. */
export function readReport(path: string): Report {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    throw new UsageError(`there is no report ${path} that can be read; assay run --report json=PATH writes one`);
  }
  const report = parseJson(text);
  if (!isReport(report)) {
    const [error] = isReport.errors ?? [];
    const place = error?.instancePath ? ` (${error.instancePath.slice(1).replaceAll('/', '.')} ${error.message})` : '';
    throw new UsageError(`${path} is no JSON report of assay run${place}`);
  }
  return report;
}
