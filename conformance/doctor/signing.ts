import { type SignatureMistake, signatureMistakes } from '../../generated/catalogue.ts';
import { type SignedRequest, signedClient } from '../arrange/requests/signed-client.ts';
import type { CheckContext } from '../check/context.ts';
import { envelopeFault } from '../contract/envelope-faults.ts';
import { type Answer, field } from '../wire/exchange.ts';
import { wrongSignatures } from '../wire/signing/mistakes.ts';
import { type RequestToSign, wrongSignatureOf } from '../wire/signing/signature.ts';

/** A request that changes nothing, whatever its answer. */
interface Sample {
  /** What the request has that another has not. */
  what: string;
  request: Pick<SignedRequest, 'method' | 'query' | 'body'>;
  /** The path after that of the merchant. */
  path: string;
}

/** What a target expects in place of the contract's signature. */
export interface ExpectedInstead {
  what: Sample['what'];
  mistake: Pick<SignatureMistake, 'what' | 'cure'>;
}

/** A request of each kind that is signed in its own way, in areas that the target has. */
function samplesFor(context: CheckContext): Sample[] {
  const id = context.newOrderId();
  const product = context.has('orders') ? '/orders' : '/checkout/orders';
  const query = `refundOrderId=${id.replaceAll('-', '%2D')}&merchantRefundOrderId=${id}`;
  const body = Buffer.from('{ "assay":  "a body without the fields of a create" }');
  return [
    ...(context.has('orders') || context.has('checkout')
      ? [
          { what: 'a request without query and body', path: `${product}/${id}`, request: { method: 'GET' } },
          { what: 'a request with a body', path: product, request: { method: 'POST', body } },
        ]
      : []),
    ...(context.has('refunds')
      ? [{ what: 'a request with a query', path: '/refunds', request: { method: 'GET', query } }]
      : []),
  ];
}

const secondsInHeader: ExpectedInstead['mistake'] = {
  what: 'X-Timestamp holds seconds',
  cure: 'read X-Timestamp as milliseconds since 1970',
};

/**
 * Finds the usual mistakes of a target that verifies signatures: for each kind of request, whether it refuses the right
 * signature like a wrong one and takes a signature that was made with a mistake.
 */
export async function expectedInstead(context: CheckContext): Promise<ExpectedInstead[]> {
  const found = await Promise.all(samplesFor(context).map((sample) => mistakeOf(context, sample)));
  return found.flat();
}

async function mistakeOf(context: CheckContext, { what, path, request }: Sample): Promise<ExpectedInstead[]> {
  const client = signedClient(context, await context.merchant());
  const send = (changes: Partial<SignedRequest> = {}) =>
    client.send({ ...request, path: `${client.basePath}${path}`, ...changes });
  const refusal = await send({ sign: wrongSignatureOf });
  if (!alike(await send(), refusal)) return [];
  const inSeconds = await send({ timestamp: String(Math.floor(context.now() / 1000)) });
  const longAgo = await send({ timestamp: '12' });
  if (!alike(inSeconds, refusal) && !alike(inSeconds, longAgo)) return [{ what, mistake: secondsInHeader }];
  const other = { origin: new URL(context.target).origin };
  for (const mistake of signatureMistakes) {
    // How often a mistake can be made differs from request to request, so the next one is made until there is none.
    for (let number = 0, made = true; made; number += 1) {
      made = false;
      const sign = (signed: RequestToSign, secret: string): string => {
        const wrong = wrongSignatures[mistake.code](signed, secret, other)[number];
        made = wrong !== undefined;
        return wrong ?? wrongSignatureOf(signed, secret);
      };
      const answer = await send({ sign });
      // An answer that cannot be read says nothing of the signature.
      if (made && !envelopeFault(answer) && !alike(answer, refusal)) return [{ what, mistake }];
    }
  }
  return [];
}

/** True when two answers have the same status and code. */
export const alike = (left: Answer, right: Answer): boolean =>
  left.status === right.status && field(left, 'code') === field(right, 'code');
