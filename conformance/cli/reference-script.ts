import { extname } from 'node:path';
import { isSea } from 'node:sea';
import { fileURLToPath } from 'node:url';

/**
 * The script of the reference server's process. The single executable holds no scripts: it starts itself, and this name as its first argument
 * says which process it is.
 */
export const referenceScript = isSea()
  ? 'reference-process'
  : fileURLToPath(new URL(`./reference-process${extname(import.meta.url)}`, import.meta.url));
