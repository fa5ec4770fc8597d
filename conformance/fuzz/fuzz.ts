import { setTimeout as pause } from 'node:timers/promises';
import { atPointer, parseJson } from '../contract/json.ts';
import { successCode } from '../contract/success-code.ts';
import type { Credentials, MerchantSettings } from '../drivers/driver.ts';
import { createBodies } from './bodies.ts';
import { type Books, booksOf } from './books.ts';
import { exchangeAlone, KeptConnection, sendCut, type WireAnswer } from './connection.ts';
import { diceOf } from './dice.ts';
import { requestOf } from './generate.ts';
import { cycle } from './intents.ts';
import { problemsOf } from './judge.ts';
import { startOddReceiver } from './receiver.ts';
import { bytesOf, type FuzzRequest, shown } from './request.ts';
import { controlToken, type FuzzedServer, type MemoryUse, startServer } from './server.ts';
import type { FuzzWorld } from './world.ts';

/** A database for the server: the flags that name it, and where it is. */
export interface FuzzDatabase {
  flags: readonly string[];
  /** The file of SQLite, or the address of a PostgreSQL server. */
  location: string;
}

/** What came of the fuzzing. */
export interface FuzzOutcome {
  requests: number;
  seconds: number;
  /** How many answers had each HTTP status; `none` counts requests without an answer. */
  statuses: Readonly<Record<string, number>>;
  /** How many requests were accepted as the contract's success, or by the control API. */
  accepted: number;
  memory: { start: MemoryUse; end: MemoryUse; peak: number };
  books: Books;
  /** Everything that is wrong. Of each kind of problem, the first few. */
  findings: string[];
}

/** Connections that are used side by side. */
const connections = 16;

/** What must hold of the memory, in MiB: the most at any time, and how much more than at the start may remain. */
const bounds = { peak: 400, used: 32, resident: 160 };

/** The settings of merchants whose clocks are advanced. */
const oddSettings: readonly MerchantSettings[] = [
  { automatic: true, usdRate: '1.0005' },
  { checkoutEnabled: false, balances: { USDT: '0.5' } },
  { rateLimit: { requests: 3, perSeconds: 1 } },
  { balances: { USDT: '9'.repeat(64) } },
];

/** Sends `count` requests of the list of a seed to a new server on the database, and examines answers, log, memory and books. */
export async function fuzz(count: number, seed: number, database: FuzzDatabase): Promise<FuzzOutcome> {
  const [server, receiver] = [await startServer(database.flags), await startOddReceiver()];
  try {
    const ids = createIds();
    const world: FuzzWorld = {
      ...{ seed, host: server.host, controlToken, bodies: createBodies(seed), receiver: receiver.url },
      merchants: {
        steady: await newMerchants(
          server,
          Array.from({ length: 8 }, () => ({})),
        ),
        odd: await newMerchants(server, oddSettings),
      },
      idOf: ids.of,
    };
    const seen = createRecord(world, ids);
    const send = (from: number, to: number) => sendAll(from, to, world, seen);
    const began = performance.now();
    // Whatever the server loads and compiles at first use is no leak.
    const warm = Math.min(5_000, Math.ceil(count / 2));
    await send(0, warm);
    const start = await server.memory();
    await send(warm, count);
    const seconds = (performance.now() - began) / 1000;
    receiver.close();
    const end = await settledMemory(server, start);
    const memory = { start, end, peak: server.peak() };
    const findings = [...seen.findings(), ...memoryProblems(memory), ...(await silence(world, server))];
    await server.stop();
    const books = await booksOf(database.location, seen.acknowledged);
    findings.push(...server.errors.map((line) => `log: ${line}`), ...books.problems.slice(0, 20));
    return { requests: count, seconds, statuses: seen.statuses, accepted: seen.accepted(), memory, books, findings };
  } finally {
    receiver.close();
    await server.stop();
  }
}

/** The ids that the server gave lately, by the numbers of their requests. Older ones make room for them. */
function createIds() {
  const room = 4 * cycle;
  const kept = new Map<number, { number: number; id: string }>();
  return {
    of: (number: number) => {
      const found = kept.get(number % room);
      return found?.number === number ? found.id : undefined;
    },
    keep: (number: number, id: string) => kept.set(number % room, { number, id }),
  };
}

/** Keeps what the fuzzing has to remember of answers. */
function createRecord(world: FuzzWorld, ids: ReturnType<typeof createIds>) {
  const [statuses, kinds] = [{} as Record<string, number>, new Map<string, number>()];
  const acknowledged = new Set<string>();
  const problems: string[] = [];
  let accepted = 0;

  return {
    statuses,
    acknowledged,
    accepted: () => accepted,
    findings: () => [
      ...problems,
      ...[...kinds].filter(([, times]) => times > 1).map(([kind, times]) => `${kind}: ${times} times in all`),
    ],
    /** Judges an answer. A problem is found out again with the request alone. */
    async note(request: FuzzRequest, answer: WireAnswer | undefined): Promise<void> {
      const status = String(answer?.status ?? 'none');
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (answer && answer.status < 300) learn(request, answer);
      for (const problem of problemsOf(request, answer)) {
        const times = (kinds.get(problem) ?? 0) + 1;
        kinds.set(problem, times);
        if (times > 3) continue;
        const again = await sendOne({ ...request, sending: 'alone' }, world.host);
        const alone = problemsOf(request, again).includes(problem)
          ? 'so it is when sent alone'
          : `sent alone: HTTP ${again?.status}`;
        const text = answer ? answer.body.toString().slice(0, 300) : '';
        problems.push(
          `${problem} (seed ${world.seed}, request ${request.number}: ${request.what}; ${alone})\n  ${text}\n  ${shown(request, world)}`,
        );
      }
    },
  };

  function learn(request: FuzzRequest, answer: WireAnswer): void {
    const body = parseJson(answer.body.toString());
    const code = atPointer(body, '/code');
    if (code !== undefined && code !== successCode) return;
    accepted += 1;
    if (code === undefined || request.method !== 'POST') return;
    const id = atPointer(body, '/data/refundOrderId') ?? atPointer(body, '/data/orderId');
    if (typeof id !== 'string') return;
    acknowledged.add(id);
    ids.keep(request.number, id);
  }
}

/** Sends the requests from one number up to another, over several connections, sometimes several behind each other. */
async function sendAll(
  from: number,
  to: number,
  world: FuzzWorld,
  seen: ReturnType<typeof createRecord>,
): Promise<void> {
  let next = from;
  const work = async (): Promise<void> => {
    const kept = new KeptConnection(world.host);
    while (next < to) {
      const dice = diceOf(`${world.seed} batch ${next}`);
      const numbers = [next++];
      while (next < to && numbers.length < 8 && dice.chance(0.6)) numbers.push(next++);
      const requests = numbers.map((number) => requestOf(number, world));
      const pipelined = requests.filter(({ sending }) => sending === 'kept');
      const answers =
        pipelined.length === 0
          ? []
          : await kept.exchange(
              pipelined.map(bytesOf),
              pipelined.map(({ method }) => method),
            );
      for (const [index, request] of pipelined.entries()) {
        // An answer may end the connection. The requests behind it are then sent again.
        await seen.note(request, answers[index] ?? (await sendOne(request, world.host)));
      }
      for (const request of requests) {
        if (request.sending === 'alone') await seen.note(request, await sendOne(request, world.host));
        if (request.sending === 'cut') await cutOff(request, world);
      }
    }
    kept.close();
  };
  await Promise.all(Array.from({ length: connections }, work));
}

/** Sends one request on a connection of its own, in pieces, and resolves with the first answer. */
async function sendOne(request: FuzzRequest, host: string): Promise<WireAnswer | undefined> {
  const bytes = bytesOf(request);
  const dice = diceOf(`pieces ${request.number}`);
  const [first, second] = [dice.below(bytes.length), dice.below(bytes.length)].toSorted((left, right) => left - right);
  const pieces =
    request.sending === 'kept'
      ? [bytes]
      : [bytes.subarray(0, first), bytes.subarray(first, second), bytes.subarray(second)];
  const [answer] = await exchangeAlone(host, pieces, {
    method: request.method,
    isWhole: !request.raw && !request.isOddHead,
  });
  return answer;
}

function cutOff(request: FuzzRequest, world: FuzzWorld): Promise<void> {
  const bytes = bytesOf(request);
  return sendCut(world.host, bytes.subarray(0, diceOf(`cut ${request.number}`).below(bytes.length)));
}

async function newMerchants({ host }: FuzzedServer, settings: readonly MerchantSettings[]): Promise<Credentials[]> {
  return Promise.all(
    settings.map(async (each) => {
      const headers = { Authorization: `Bearer ${controlToken}`, 'Content-Type': 'application/json' };
      const answer = await fetch(`http://${host}/sandbox/v1/merchants`, {
        method: 'POST',
        headers,
        body: JSON.stringify(each),
      });
      if (!answer.ok) throw new Error(`no merchant was made: ${await answer.text()}`);
      return (await answer.json()) as Credentials;
    }),
  );
}

/** The memory when it is back within its bounds, or after half a minute: webhooks under way hold some. */
async function settledMemory(server: FuzzedServer, start: MemoryUse): Promise<MemoryUse> {
  for (let waits = 0; ; waits += 1) {
    const now = await server.memory();
    if (
      waits === 30 ||
      (now.used <= start.used + bounds.used / 4 && now.resident <= start.resident + bounds.resident / 4)
    )
      return now;
    await pause(1_000);
  }
}

function memoryProblems({ start, end, peak }: FuzzOutcome['memory']): string[] {
  return [
    ...(peak > bounds.peak ? [`memory: ${peak} MiB were resident, more than ${bounds.peak}`] : []),
    ...(end.used > start.used + bounds.used
      ? [`memory: ${start.used} MiB were in use, and ${end.used} are at the end`]
      : []),
    ...(end.resident > start.resident + bounds.resident
      ? [`memory: ${start.resident} MiB were resident, and ${end.resident} are at the end`]
      : []),
  ];
}

/** Whether the server still answers a right request. */
async function silence({ host }: FuzzWorld, server: FuzzedServer): Promise<string[]> {
  if (!server.isAlive()) return ['the server has ended'];
  const answer = await fetch(`http://${host}/health/ready`, { signal: AbortSignal.timeout(10_000) }).catch(
    () => undefined,
  );
  return answer?.ok ? [] : ['the server does not answer any more'];
}
