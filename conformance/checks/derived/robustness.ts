import type { RequirementId } from '../../../generated/catalogue.ts';
import { needsKey } from '../../arrange/authentication/rule.ts';
import {
  createCheckoutOrder,
  listPaymentMethods,
  queryCheckoutOrder,
} from '../../arrange/checkout-orders/operations.ts';
import { arrangedOperations } from '../../arrange/operations.ts';
import { createOrder, queryOrder } from '../../arrange/orders/operations.ts';
import { batchQueryRefunds, createRefund, queryRefund } from '../../arrange/refunds/operations.ts';
import type { ArrangedOperation } from '../../arrange/requests/arranged-operation.ts';
import type { SignedRequest } from '../../arrange/requests/signed-client.ts';
import { someAtOnce } from '../../arrange/requests/some-at-once.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectAccepted, expectRefused, expectSchema, isAccepted, needAccepted } from '../../check/expect.ts';
import { Inconclusive, PermittedChoice } from '../../errors/outcomes.ts';
import { hostileBodies, hostileHeaders, hostileSegments } from '../../values/hostile.ts';
import { printed } from '../../values/printed.ts';
import type { Answer } from '../../wire/exchange.ts';
import { askedAgain, expectRefusedWithoutFailure, isFailure } from '../support/failures.ts';

/** The requirements of an area that hostile requests may show to be broken. */
const requirementsOf: Record<
  ArrangedOperation['area'],
  { envelope: RequirementId; refused: RequirementId; accepted: RequirementId }
> = {
  orders: {
    envelope: 'orders.envelope.failure',
    refused: 'orders.errors.refused',
    accepted: 'orders.create.accepted',
  },
  refunds: {
    envelope: 'refunds.envelope.failure',
    refused: 'refunds.errors.refused',
    accepted: 'refunds.create.accepted',
  },
  checkout: {
    envelope: 'checkout.envelope.failure',
    refused: 'checkout.errors.refused',
    accepted: 'checkout.create.accepted',
  },
};

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** The answer to a request. `undefined` where the target hangs up, or a gateway before it answers in its place. */
function unlessHungUp(sent: Promise<Answer>): Promise<Answer | undefined> {
  return sent.catch((error: unknown) => {
    if (error instanceof Inconclusive) return undefined;
    throw error;
  });
}

/** Fails unless the target still accepts a right request. */
async function expectStillAnswers(context: CheckContext, operation: ArrangedOperation, after: string): Promise<void> {
  const { client, request, twin } = await operation.prepare(context, await context.merchant());
  const { accepted } = requirementsOf[operation.area];
  expectAccepted(
    await (twin ? twin.find() : client.send(request)),
    `${operation.noun}, rightly made, after ${after}`,
    accepted,
  );
}

/** A check that bodies without a JSON object are refused in the envelope of the area and do no harm. */
function hostileBodyCheck(operation: ArrangedOperation): CheckDeclaration {
  const { name, area, noun, failure, needs } = operation;
  const { envelope, refused, accepted } = requirementsOf[area];
  return {
    id: `${name}.hostile-bytes`,
    title: `${capitalized(noun)} whose body is no JSON object is refused, and does no harm`,
    requirements: [envelope, refused, accepted],
    needs,
    long: true,
    async run(context) {
      const merchant = await context.merchant();
      const right = await operation.prepare(context, merchant);
      needAccepted(await (right.twin ? right.twin.find() : right.client.send(right.request)), noun);
      // A body that is read all the same may be refused for a record that is there already: these ask for another one.
      const unmade = right.twin ? right : await operation.prepare(context, merchant);
      const { body = {}, makes } = unmade;
      const id = makes?.id === 'merchantOrderId' && body[makes.id];
      const underOwnId = (bytes: Buffer) =>
        typeof id === 'string'
          ? Buffer.from(bytes.toString('latin1').replaceAll(id, context.newOrderId()), 'latin1')
          : bytes;
      const refusedBodies = hostileBodies(body).flatMap((hostile) =>
        hostile.refused ? [{ ...hostile, of: unmade, bytes: underOwnId(hostile.bytes) }] : [],
      );
      // A body that may be accepted would use up what other checks need.
      const openBodies = right.twin ? [] : hostileBodies(right.body ?? {}).filter((hostile) => !hostile.refused);
      const bodies = [...refusedBodies, ...openBodies.map((hostile) => ({ ...hostile, of: right }))];
      const sent = await someAtOnce(bodies, async ({ of, ...hostile }) => {
        const answer = await unlessHungUp(of.client.send({ ...of.request, body: hostile.bytes }));
        return { ...hostile, answer };
      });
      for (const hostile of sent) {
        // The contract leaves open whether the other bodies are accepted, but not how they are refused.
        if (!hostile.answer || (!hostile.refused && isAccepted(hostile.answer))) continue;
        if (hostile.refused) expectRefused(hostile.answer, `${noun} with ${hostile.what} as its body`, refused);
        if (hostile.envelope !== false) expectSchema(hostile.answer, failure);
      }
      await expectStillAnswers(context, operation, 'hostile bodies');
    },
  };
}

/** A check that addresses with impossible ids are refused and do no harm. `refused`: what says that they are. */
function hostileAddressCheck(
  operation: ArrangedOperation,
  requests: (right: SignedRequest) => SignedRequest[],
  refused: RequirementId = requirementsOf[operation.area].refused,
): CheckDeclaration {
  const { name, area, noun, needs } = operation;
  const { accepted } = requirementsOf[area];
  return {
    id: `${name}.hostile-address`,
    title: `${capitalized(noun)} at an address that is none is refused, and does no harm`,
    requirements: [refused, accepted],
    needs,
    async run(context) {
      const right = await operation.prepare(context, await context.merchant());
      needAccepted(await right.client.send(right.request), noun);
      const ask = ({ client, request }: typeof right) => client.send(request);
      const sent = await someAtOnce(requests(right.request), async (request) => {
        const answer = await unlessHungUp(
          askedAgain(
            context,
            () => ask({ ...right, request }),
            () => ask(right),
          ),
        );
        return { request, answer };
      });
      for (const { request, answer } of sent) {
        const address = [request.path, request.query].filter((part) => part !== undefined).join('?');
        if (answer) expectRefusedWithoutFailure(answer, `${noun} at ${address.slice(0, 200)}`, refused);
      }
      await expectStillAnswers(context, operation, 'hostile addresses');
    },
  };
}

/** A signature of the right form that no request has. */
const plainWrongSignature = 'A'.repeat(43).concat('=');

/** How many characters of a header's value a finding shows. The request that stands beside it has all of them. */
const longestShown = 60;

/** A check that headers of authentication with impossible values are refused and do no harm. */
function hostileHeaderCheck(operation: ArrangedOperation): CheckDeclaration {
  const { name, area, noun, needs } = operation;
  const { accepted } = requirementsOf[area];
  return {
    id: `${name}.hostile-headers`,
    title: `${capitalized(noun)} whose headers of authentication have impossible values is refused, and does no harm`,
    requirements: ['auth.required', accepted],
    needs,
    async run(context) {
      const right = await operation.prepare(context, await context.merchant());
      const { client, request, twin } = right;
      const askRightly = () => (twin ? twin.find() : client.send(request));
      needAccepted(await askRightly(), noun);
      const plainly = await client.send({ ...request, headers: { 'X-Signature': plainWrongSignature } });
      if (isFailure(plainly)) throw new PermittedChoice('any wrong signature is answered as a failure of the service');
      const values = hostileHeaders.filter((header) => header.name !== 'X-Api-Key' || needsKey(operation));
      const sent = await someAtOnce(values, async (header) => {
        // What is signed is the time that the header says, so that nothing else is wrong with the request.
        const changed =
          header.name === 'X-Timestamp' ? { timestamp: header.value } : { headers: { [header.name]: header.value } };
        const answer = await unlessHungUp(
          askedAgain(context, () => client.send({ ...request, ...changed }), askRightly),
        );
        return { header, answer };
      });
      for (const { header, answer } of sent) {
        const what = `${noun} with ${header.name} = ${printed(header.value.slice(0, longestShown))}`;
        if (answer) expectRefusedWithoutFailure(answer, what, 'auth.required');
      }
      right.release?.();
      await expectStillAnswers(context, operation, 'hostile headers');
    },
  };
}

const insteadOfLast = ({ path, ...request }: SignedRequest) =>
  hostileSegments.map((segment) => ({ ...request, path: path.replace(/[^/]*$/, () => segment) }));

const insteadOfMerchant = ({ path, ...request }: SignedRequest) =>
  hostileSegments.map((segment) => ({ ...request, path: path.replace(/(?<=\/merchants\/)[^/]+/, () => segment) }));

const insteadOfQuery = (request: SignedRequest) =>
  [
    ...hostileSegments.map((value) => `refundOrderId=${value}`),
    'refundOrderId[]=x',
    'refundOrderId[a]=x',
    '&&==&',
    '=',
  ].map((query) => ({ ...request, query }));

export const robustnessChecks: readonly CheckDeclaration[] = [
  hostileBodyCheck(createOrder),
  hostileAddressCheck(createOrder, insteadOfMerchant),
  hostileAddressCheck(queryOrder, insteadOfLast, 'orders.query.malformed-id'),
  hostileBodyCheck(createRefund),
  hostileAddressCheck(queryRefund, insteadOfQuery, 'refunds.query.malformed-id'),
  hostileBodyCheck(batchQueryRefunds),
  hostileBodyCheck(createCheckoutOrder),
  hostileAddressCheck(listPaymentMethods, insteadOfMerchant),
  hostileAddressCheck(queryCheckoutOrder, insteadOfLast, 'checkout.query.malformed-id'),
  ...arrangedOperations.map(hostileHeaderCheck),
];
