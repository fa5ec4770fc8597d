import { copyFileSync, cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { publicFolder, rootFolder, staticFolder } from '../folders.ts';
import { buildReferences } from './reference.ts';

/** Writes the files that the site serves beside its pages: static files, the contract, and the full references. */
export async function writePublicFiles(): Promise<void> {
  rmSync(publicFolder, { recursive: true, force: true });
  cpSync(staticFolder, publicFolder, { recursive: true });
  copyFileSync(join(rootFolder, 'generated/openapi.json'), join(publicFolder, 'openapi.json'));
  for (const [name, html] of await buildReferences()) writeFileSync(join(publicFolder, name), html);
}
