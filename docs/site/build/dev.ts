/** `npm run docs:dev`: serves the site on this machine and shows each change of a page at once. */
import { createServer } from 'vitepress';
import { vitepressFolder } from '../folders.ts';
import { writePublicFiles } from './public-files.ts';

await writePublicFiles();
const server = await createServer(vitepressFolder);
await server.listen();
server.printUrls();
