import { fileURLToPath } from 'node:url';

const folder = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The repository. */
export const rootFolder = folder('../..');
/** The Markdown pages. */
export const pagesFolder = folder('../pages');
/** The root of VitePress, which has its configuration and theme in `.vitepress`. */
export const vitepressFolder = folder('.');
/** Files that the site serves as they are. */
export const staticFolder = folder('public');
/** The static files together with those that each build makes. */
export const publicFolder = folder('../../dist/docs/public');
/** The finished site. */
export const siteFolder = folder('../../dist/docs/html');
