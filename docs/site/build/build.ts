/** `npm run docs:build`: the whole site, in `docs/.vitepress/dist`. */
import { build } from 'vitepress';
import { assemble } from '../generate/pages.ts';
import { docsFolder } from '../folders.ts';

await assemble();
await build(docsFolder);
