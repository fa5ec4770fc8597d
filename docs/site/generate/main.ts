/** Brings the generated parts of `docs/pages/` up to date; a part of `npm run generate`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pagesFolder } from '../folders.ts';
import { upToDatePages } from './pages.ts';

for (const [path, text] of upToDatePages()) {
  const file = join(pagesFolder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
