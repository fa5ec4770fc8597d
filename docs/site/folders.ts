import { fileURLToPath } from 'node:url';

const folder = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The repository. */
export const rootFolder = folder('../..');
/** What is written by hand. */
export const docsFolder = folder('..');
/** The pages with everything in them, as VitePress takes them. Made anew by each build. */
export const pagesFolder = folder('../.vitepress/pages');
/** The finished site. */
export const siteFolder = folder('../.vitepress/dist');
