import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};

/** Serves a folder on loopback like a host of static sites: addresses without `.html`, compression, and a page for 404. */
export async function serveSite(folder: string): Promise<{ url: string; close(): void }> {
  const compressed = new Map<string, Buffer>();
  const contentOf = (file: string): Buffer => {
    const content = compressed.get(file) ?? gzipSync(readFileSync(file));
    compressed.set(file, content);
    return content;
  };
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://site').pathname);
    const file = fileFor(folder, path);
    const shown = file ?? join(folder, '404.html');
    response.writeHead(file === undefined ? 404 : 200, {
      'content-type': types[extname(shown)] ?? 'application/octet-stream',
      'content-encoding': 'gzip',
    });
    response.end(contentOf(shown));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The file for an address, which has no query and no fragment. Undefined if there is none. */
export function fileFor(folder: string, path: string): string | undefined {
  const candidates = path.endsWith('/') ? [`${path}index.html`] : [path, `${path}.html`];
  return candidates.map((each) => join(folder, each)).find((file) => existsSync(file) && statSync(file).isFile());
}
