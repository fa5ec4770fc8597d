/** `npm run build:binary` makes the single executable for this system. `-- --out FILE` says where. */
import { statSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { makeExecutable } from './make.ts';

const { values } = parseArgs({
  options: { out: { type: 'string', default: `dist/assay-${process.platform}-${process.arch}` } },
});
await makeExecutable(values.out);
process.stdout.write(
  `${values.out}: ${(statSync(values.out).size / 1e6).toFixed(1)} MB, Node ${process.versions.node}\n`,
);
