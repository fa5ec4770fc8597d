import { isOf, isRightlySigned, onlyFor, refusal } from '../stand/changes.ts';
import type { Fault } from '../stand/fault.ts';
import { type Handler, type ProxyRequest, resigned } from '../stand/proxy.ts';
import { isRefundCreate, refundRefusal } from '../stand/refund-changes.ts';

// Servers whose own reader of JSON does not understand every escape: it takes each unit of UTF-16 for a character.

/** The two escapes of a character beyond the basic plane. */
const escapedPair = /\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}/gi;

const hasPair = (request: ProxyRequest) => request.body.toString('utf8').search(escapedPair) >= 0;

const products = [
  { area: 'orders', noun: 'hosted orders' },
  { area: 'refunds', noun: 'refunds' },
  { area: 'checkout', noun: 'checkout orders' },
] as const;

const refusing: readonly Fault[] = products.map(({ area, noun }) => ({
  id: `${area}-escaped-pairs-refused`,
  title: `Refuses creates of ${noun} in which a character is written as two escapes.`,
  breaks: 'general.json',
  caughtBy: `${area}.create.escaped-letters`,
  make: {
    merchantApi: onlyFor(isOf(`${area}.create`), async (request, server) => {
      if (!hasPair(request) || !isRightlySigned(request, server)) return server.forward(request);
      return isRefundCreate(request)
        ? refundRefusal(400, 'INVALID_PARAMETER')
        : refusal(request, '10001', 'the body is no JSON');
    }),
  },
}));

/** Reads a character that is written as two escapes as the one that stands for what is none. */
const losingPairs = (operation: string): Handler =>
  onlyFor(isOf(operation), async (request, server) => {
    const owner = server.owner(request.headers['x-api-key'] ?? '');
    if (!owner || !isRightlySigned(request, server)) return server.forward(request);
    const body = Buffer.from(request.body.toString('utf8').replace(escapedPair, '\\ufffd'));
    return server.forward(resigned({ ...request, body }, owner));
  });

/** Wrong servers at whose escapes of letters beyond ASCII a check must look. */
export const escapedLetterFaults: readonly Fault[] = [
  ...refusing,
  {
    id: 'checkout-escaped-pairs-lost',
    title: 'Loses the characters of metadata that a checkout create writes as two escapes.',
    breaks: 'checkout.create.metadata.unchanged',
    caughtBy: 'checkout.create.echo.metadata',
    feeds: ['checkout.create.escaped-letters'],
    make: { merchantApi: losingPairs('checkout.create') },
  },
  {
    id: 'refunds-escaped-pairs-lost',
    title: 'Loses the characters of extraData that a refund request writes as two escapes.',
    breaks: 'refunds.record.extra-data',
    caughtBy: 'refunds.create.echo.extra-data',
    feeds: ['refunds.create.escaped-letters'],
    make: { merchantApi: losingPairs('refunds.create') },
  },
];
