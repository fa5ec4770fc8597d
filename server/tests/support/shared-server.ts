import { afterAll, afterEach, expect } from 'vitest';
import { startTestServer, type TestServer } from './server.ts';

/**
 * Starts a server for all tests of a file, and ends it after them. A test fails when the server reports a failure of its
 * own during it: whatever a client sends, no request may cause one. Takes the options of `startTestServer`.
 */
export async function sharedServer(options: Parameters<typeof startTestServer>[0] = {}): Promise<TestServer> {
  const server = await startTestServer(options);
  afterEach(() => {
    expect(server.logged.splice(0)).toEqual([]);
  });
  afterAll(() => server.close());
  return server;
}
