/** Puts Kysely and its licence into the built kysely.js; a part of `npm run build`. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const fileAt = (path) => fileURLToPath(new URL(path, import.meta.url));

buildSync({
  entryPoints: [fileAt('kysely.ts')],
  outfile: fileAt('../../dist/server/storage/kysely.js'),
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  banner: { js: `/*! Kysely\n\n${readFileSync(fileAt('../../node_modules/kysely/LICENSE'), 'utf8')}*/` },
  logLevel: 'warning',
});
