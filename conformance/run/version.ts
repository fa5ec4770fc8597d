import { packageFile } from '../../generated/package-file.ts';

/** The version of this package. */
export const version: string = String(JSON.parse(packageFile('package.json')).version);
