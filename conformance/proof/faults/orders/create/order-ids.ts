import { successCode } from '../../../../contract/success-code.ts';
import {
  bodyOf,
  hasText,
  isHostedCreate,
  merchantIdOf,
  readingCreates,
  refusingCreates,
} from '../../../stand/changes.ts';
import type { Fault } from '../../../stand/fault.ts';
import { asFirstMet, numberReadings } from '../../../stand/number-ids.ts';
import { keyedBy, sharedNamespace } from '../../../stand/order-changes.ts';
import type { Handler } from '../../../stand/proxy.ts';

/** A server that answers a create with the order of the first merchantOrderId that is the same after `kept`. */
function takingForTheFirst(kept: (merchantOrderId: string) => string): Handler {
  const first = new Map<string, string>();
  return async (request, server) => {
    const id = isHostedCreate(request) ? bodyOf(request)?.merchantOrderId : undefined;
    const answer = await server.forward(request);
    if (typeof id !== 'string' || bodyOf(answer)?.code !== successCode) return answer;
    const key = `${merchantIdOf(request)} ${kept(id)}`;
    const known = first.get(key) ?? id;
    first.set(key, known);
    return known === id ? answer : { ...answer, body: Buffer.from(answer.body.toString().replaceAll(id, known)) };
  };
}

/** The hash of a text in Java: its characters added up, each sum times 31, in 32 bits. */
const hashOf = (text: string) =>
  String([...text].reduce((hash, character) => (Math.imul(31, hash) + character.charCodeAt(0)) | 0, 0));

/** Wrong servers that refuse, change or mix up the merchantOrderId of a create. */
export const orderCreateIdFaults: readonly Fault[] = [
  {
    id: 'underscore-in-id-refused',
    title: 'Refuses an underscore in a merchantOrderId.',
    breaks: 'orders.create.merchant-order-id.characters',
    caughtBy: 'orders.create.merchant-order-id.alphabet',
    make: { merchantApi: refusingCreates(hasText('merchantOrderId', (text) => text.includes('_'))) },
  },
  {
    id: 'capital-letter-in-id-refused',
    title: 'Refuses capital letters in a merchantOrderId.',
    breaks: 'orders.create.merchant-order-id.characters',
    caughtBy: 'orders.create.merchant-order-id.alphabet',
    make: { merchantApi: refusingCreates(hasText('merchantOrderId', (text) => /[A-Z]/.test(text))) },
  },
  {
    id: 'id-lower-cased',
    title: 'Writes a merchantOrderId in small letters when it keeps it.',
    breaks: 'orders.view.echo',
    caughtBy: 'orders.create.merchant-order-id.alphabet',
    make: {
      merchantApi: readingCreates((body) => ({ ...body, merchantOrderId: String(body.merchantOrderId).toLowerCase() })),
    },
  },
  {
    id: 'ids-cut-to-sixty',
    title: 'Cuts the merchantOrderIds down to 60 characters.',
    breaks: 'orders.view.echo',
    caughtBy: 'orders.create.merchant-order-id.distinct',
    make: keyedBy('hosted', (id) => id.slice(0, 60)),
  },
  {
    id: 'ids-without-case',
    title: 'Keeps the merchantOrderIds in a column that does not tell capital letters from small ones.',
    breaks: 'orders.view.echo',
    caughtBy: 'orders.create.merchant-order-id.distinct',
    make: keyedBy('hosted', (id) => id.toLowerCase()),
  },
  {
    id: 'ids-without-signs',
    title: 'Takes - and _ in a merchantOrderId for the same character.',
    breaks: 'orders.view.echo',
    caughtBy: 'orders.create.merchant-order-id.distinct',
    make: { merchantApi: takingForTheFirst((id) => id.replaceAll('_', '-')) },
  },
  {
    id: 'ids-by-hash',
    title: 'Compares the hashes of merchantOrderIds, which are those of texts in Java.',
    breaks: 'orders.view.echo',
    caughtBy: 'orders.create.merchant-order-id.distinct',
    make: { merchantApi: takingForTheFirst(hashOf) },
  },
  {
    id: 'ids-without-leading-zeros',
    title: 'Takes merchantOrderIds for the same that differ in zeros before their digits.',
    breaks: 'orders.view.echo',
    caughtBy: 'orders.create.look-alike-texts',
    make: { merchantApi: takingForTheFirst((id) => id.replace(/^0+(?=[0-9]+$)/, '')) },
  },
  ...(['hosted', 'checkout'] as const).flatMap((product) =>
    numberReadings.map((reading): Fault => {
      const area = product === 'hosted' ? 'orders' : 'checkout';
      return {
        id: `${area}-ids-as-numbers-${reading.name}`,
        title: `Takes merchantOrderIds of ${product} orders for the same that differ ${reading.words}.`,
        breaks: `${area}.view.echo`,
        caughtBy: `${area}.create.merchant-order-id.distinct`,
        make: keyedBy(product, asFirstMet(reading)),
      };
    }),
  ),
  {
    id: 'create-answers-with-others-order',
    title: 'Answers a create with the order that another merchant has under the same merchantOrderId.',
    breaks: 'orders.create.other-merchant',
    caughtBy: 'orders.create.other-merchant',
    make: sharedNamespace('hosted', { leaking: true }),
  },
];
