import { type Choices, referenceChoices } from '../../generated/catalogue.ts';
import { isLoopback } from '../http/sandbox-guard.ts';

/** The things that a sandbox does and a production server must not do. */
const relaxations: readonly string[] = [
  'the control API makes merchants, pays and cancels orders, moves refunds and time',
  'the checkout page has a panel that pays orders and moves time, and exchanges without passwords',
  'payments, deposit addresses and refunds are simulated; no money moves',
  'webhooks may go to loopback and private addresses, and over HTTP where the contract allows it',
  'the certificate of a loopback receiver is not verified',
  'a refused signature is explained',
];

/** The fields and the message of the log line for a start; without credentials. */
export function startMessage(
  { mode, host, database }: { mode: 'sandbox' | 'production'; host: string; database: string },
  { choices, ...urls }: { url: string; metrics?: string; choices: Choices },
) {
  const sandbox = mode === 'sandbox';
  return {
    fields: {
      mode,
      ...urls,
      database: describeDatabase(database),
      relaxed: sandbox ? relaxations : [],
      choices: otherChoices(choices),
    },
    message: sandbox
      ? `started as a sandbox, which relaxes what is listed${isLoopback(host) ? '' : beyondLoopback(host)}`
      : 'started in production mode: no control API, and nothing is relaxed',
  };
}

const beyondLoopback = (host: string) => `; it listens on ${host}, where other machines can reach it`;

/** The place of the data; for a PostgreSQL server its host, port and database. */
function describeDatabase(location: string): string {
  if (!/^postgres(ql)?:/.test(location)) return location;
  if (!URL.canParse(location)) return 'PostgreSQL';
  const { host, pathname } = new URL(location);
  return `PostgreSQL at ${host}${pathname}`;
}

/** Where choices differ from the reference, by open point. */
export function otherChoices(choices: Choices): Record<string, string> {
  const reference: Record<string, string> = { ...referenceChoices };
  return Object.fromEntries(Object.entries(choices).filter(([id, value]) => value !== reference[id]));
}
