// Written by hand: the only way to the files of this package that its code reads while it runs.
import { existsSync, readFileSync } from 'node:fs';
import { getAsset, isSea } from 'node:sea';

/** The files that `packageFile` reads, by their paths in the package. The single executable carries each of them. */
export const packageFiles = [
  'package.json',
  'conformance/reporters/page/assets/report.css',
  'conformance/reporters/page/assets/report.js',
  'server/checkout-page/assets/checkout.css',
  'server/checkout-page/assets/checkout.js',
  'server/checkout-page/assets/icon.svg',
] as const;

export type PackageFile = (typeof packageFiles)[number];

/** The text of a file of this package, in a clone, in an installed package and in the single executable. */
export function packageFile(path: PackageFile): string {
  return isSea() ? getAsset(path, 'utf8') : readFileSync(new URL(path, packageFolder()), 'utf8');
}

/** The folder of package.json, above this file; there is none in the single executable. The sources and the built files are at different depths below it. */
export function packageFolder(): URL {
  let folder = new URL('.', import.meta.url);
  while (!existsSync(new URL('package.json', folder))) {
    const parent = new URL('..', folder);
    if (parent.href === folder.href) throw new Error('package.json of assay was not found');
    folder = parent;
  }
  return folder;
}
