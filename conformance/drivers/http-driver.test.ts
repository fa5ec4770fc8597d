import { createServer } from 'node:http';
import { afterAll, expect, it } from 'vitest';
import { listen } from '../tests/support/loopback.ts';
import { openConnections } from '../wire/connections.ts';
import { guardLimits } from '../wire/limits.ts';
import { createTransport } from '../wire/transport.ts';
import { httpDriver } from './http-driver.ts';

const closing: (() => Promise<void> | void)[] = [];
afterAll(async () => {
  for (const close of closing.splice(0)) await close();
});

/** Has a control API restart a target, which answers so; `undefined`: it closes the connection. */
async function restart(status: number | undefined): Promise<unknown> {
  const { port, close } = await listen(
    createServer((request, response) => {
      request.resume();
      if (request.method === 'GET') response.end('{"capabilities":["restart"]}');
      else if (status === undefined) request.socket.resetAndDestroy();
      else response.writeHead(status).end('{}');
    }),
  );
  const connections = openConnections({ maximum: 2, timeout: 1000, tls: undefined });
  closing.push(close, connections.close);
  const transport = createTransport({ connections, limits: guardLimits({}), runId: 'test', timeout: 1000 });
  const driver = await httpDriver(`http://127.0.0.1:${port}/sandbox/v1`, 'token', transport);
  return driver.restart?.(transport);
}

it('takes a target for one that ends when it answers so, or closes the connection in the place of an answer', async () => {
  await expect(restart(202)).resolves.toBeUndefined();
  await expect(restart(undefined)).resolves.toBeUndefined();
  await expect(restart(409)).rejects.toThrow('restarts nothing');
});
