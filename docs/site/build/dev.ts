/** `npm run docs:dev`: the site on this machine, made anew page by page as they are written. */
import { watch } from 'node:fs';
import { createServer } from 'vitepress';
import { assemble, assemblePage, pageFiles } from '../generate/pages.ts';
import { docsFolder } from '../folders.ts';

await assemble();
const server = await createServer(docsFolder);
await server.listen();
server.printUrls();
watch(docsFolder, { recursive: true }, (_event, path) => {
  if (path === null || !pageFiles('').includes(path)) return;
  assemblePage(path).catch((error: Error) => console.error(error.message));
});
