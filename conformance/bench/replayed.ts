import { readFile } from 'node:fs/promises';
import { readHistory } from '../history/ndjson.ts';
import type { RequestRecord } from '../history/records.ts';

/** A request that got an answer. */
export type Answered = RequestRecord & Required<Pick<RequestRecord, 'answer'>>;

/** Names a request by its place among those that are replayed, so that it gets its own answer. */
export const placeHeader = 'x-place';

/** The requests of a history that are replayed: those that got an answer. */
export async function replayedRequests(file: string): Promise<Answered[]> {
  const { records } = readHistory(await readFile(file, 'utf8'), file);
  return records.filter((record): record is Answered => record.kind === 'request' && record.answer !== undefined);
}

const ownHeaders = ['connection', 'content-length', 'host', 'keep-alive', 'transfer-encoding', 'expect'];

/** The recorded headers without those that Node writes itself. */
export const withoutOwn = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !ownHeaders.includes(name.toLowerCase())));

/** The CPU time of this process so far, in milliseconds. */
export function ownCpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
