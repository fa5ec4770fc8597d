import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll } from 'vitest';
import type { Storage } from '../../services/ports.ts';
import { openStorage } from '../open-storage.ts';
import { newPostgresDatabase } from './postgres.ts';

/**
 * The storages of a test file, which are closed after each test; the files of SQLite are gone after the last. To be called once, where
 * the file begins.
 */
export function newStorages() {
  let directory: string;
  let databases = 0;
  const opened: Storage[] = [];

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'assay-storage-'));
  });

  afterAll(async () => {
    await rm(directory, { recursive: true });
  });

  afterEach(async () => {
    await Promise.all(opened.splice(0).map((storage) => storage.close()));
  });

  const newFile = async () => join(directory, `${++databases}`, 'assay.db');

  async function open(location: string): Promise<Storage> {
    const storage = await openStorage(location);
    opened.push(storage);
    return storage;
  }

  /** The databases that keep their data, with a function that gives the location of a new one. */
  const lastingDatabases: [name: string, newLocation: () => Promise<string>][] = [
    ['SQLite in a file', newFile],
    ['PostgreSQL', newPostgresDatabase],
  ];
  /** All databases, with a function that opens a new one. */
  const everyDatabase = [['SQLite in memory', async () => ':memory:'] as const, ...lastingDatabases].map(
    ([name, newLocation]): [name: string, openNew: () => Promise<Storage>] => [
      name,
      async () => open(await newLocation()),
    ],
  );
  return {
    /** The folder in which the files stand, from the first test on. */
    folder: () => directory,
    newFile,
    open,
    lastingDatabases,
    everyDatabase,
  };
}
