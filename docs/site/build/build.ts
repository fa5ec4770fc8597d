/** `npm run docs:build`: writes the whole site to `dist/docs/html`. */
import { build } from 'vitepress';
import { vitepressFolder } from '../folders.ts';
import { writePublicFiles } from './public-files.ts';

await writePublicFiles();
await build(vitepressFolder);
