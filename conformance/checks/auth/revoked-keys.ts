import { withNewId } from '../../arrange/authentication/refusals.ts';
import { idOfRule, needsKey, titleOf } from '../../arrange/authentication/rule.ts';
import { arrangedOperations } from '../../arrange/operations.ts';
import type { ArrangedOperation, PreparedRequest } from '../../arrange/requests/arranged-operation.ts';
import type { SignedRequest } from '../../arrange/requests/signed-client.ts';
import { amidRestart, askUntilAnswered } from '../../arrange/situations/restarts.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectRefused, isAccepted, needAccepted } from '../../check/expect.ts';
import { Inconclusive } from '../../errors/outcomes.ts';

/** An operation of the same area that makes nothing, so that it can be asked until the end of a key has been heard of. */
function readOf(operation: ArrangedOperation): ArrangedOperation {
  return arrangedOperations.find(({ area, method }) => area === operation.area && method === 'GET') ?? operation;
}

/** How a request is sent under a key: with it, and without it where it need not be there. */
const forms = (
  operation: ArrangedOperation,
): readonly (readonly [words: string, headers: NonNullable<SignedRequest['headers']>])[] => [
  ['under a key that was revoked', {}],
  ...(needsKey(operation)
    ? []
    : [['signed with the secret of a key that was revoked', { 'X-Api-Key': undefined }] as const]),
];

/** Prepares a right request, and shows that one like it, `accepted`, is accepted. */
async function prepareAccepted(
  context: CheckContext,
  operation: ArrangedOperation,
  merchant: PreparedRequest['client']['merchant'],
) {
  const prepared = await operation.prepare(context, merchant);
  const accepted = prepared.request;
  needAccepted(await prepared.client.send(accepted), `${operation.noun}, rightly signed`);
  return { ...(prepared.makes ? await operation.prepare(context, merchant) : prepared), accepted };
}

/** How many keys of other merchants are revoked before a request under the first one is sent again. */
const furtherKeys = 8;

async function expectRevoked(context: CheckContext, operation: ArrangedOperation): Promise<void> {
  const merchant = await context.ownMerchant();
  const read = await prepareAccepted(context, readOf(operation), merchant);
  const prepared = await prepareAccepted(context, operation, merchant);
  await context.revokeKey(merchant);
  const send = (request: SignedRequest) => prepared.client.send(request);
  // The contract sets no deadline by which every part of a target must have heard of it.
  await context.poll(
    () => send(read.request),
    (answer) => !isAccepted(answer),
  );
  for (const [words, headers] of forms(operation)) {
    const { request } = prepared.makes ? withNewId(context, prepared, prepared.makes) : prepared;
    expectRefused(await send({ ...request, headers }), `${operation.noun} ${words}`, 'auth.api-key.revoked');
    if (!prepared.makes) continue;
    // A target that looks for the id first answers a repeat without asking who sends it.
    const repeat = `${operation.noun} that repeats an accepted one, ${words}`;
    expectRefused(await send({ ...prepared.accepted, headers }), repeat, 'auth.api-key.revoked');
  }
  // What a target remembers of keys is shared by its operations as a rule, so the ones that make nothing tell.
  if (operation.method !== 'GET') return;
  const others = await Promise.all(Array.from({ length: furtherKeys }, () => context.ownMerchant()));
  for (const other of others) await context.revokeKey(other);
  const what = `${operation.noun} under a key that was revoked before those of ${furtherKeys} other merchants`;
  expectRefused(await send(prepared.request), what, 'auth.api-key.revoked');
}

/** Holds an operation that makes nothing against the end of a key from before the target was ended. */
async function expectRevokedAfterRestart(context: CheckContext, operation: ArrangedOperation): Promise<void> {
  const read = await prepareAccepted(context, operation, await context.ownMerchant());
  const other = await prepareAccepted(context, operation, await context.ownMerchant());
  await context.revokeKey(read.client.merchant);
  const ask = () =>
    context.poll(
      () => askUntilAnswered(context, () => read.client.send(read.request)),
      (answer) => !isAccepted(answer),
    );
  if (isAccepted(await ask())) {
    const requirement = 'auth.api-key.revoked';
    throw new Inconclusive('the key is not revoked before the restart either', { requirement });
  }
  const nothing = () => Promise.resolve(undefined);
  await amidRestart(context, [], nothing, () => other.client.send(other.request));
  expectRefused(await ask(), `${operation.noun} after the restart under a key that was revoked before it`);
}

/** A paid order of a merchant of its own must be paid first. */
const needsOf = ({ area }: ArrangedOperation) => (area === 'refunds' ? (['order-events'] as const) : []);

/** The checks that each operation refuses a request under a key that was revoked. */
export const authRevokedKeyChecks: readonly CheckDeclaration[] = [
  ...arrangedOperations.map((operation) => ({
    id: idOfRule({ name: 'revoked-key' }, operation),
    title: `${titleOf(operation, 'under a key that was revoked')} is refused`,
    calls: [operation.area],
    requirements: ['auth.api-key.revoked'] as const,
    needs: [...needsOf(operation), 'key-revocation'] as const,
    run: (context: CheckContext) => expectRevoked(context, operation),
  })),
  ...arrangedOperations
    .filter(({ method }) => method === 'GET')
    .map((operation) => ({
      id: idOfRule({ name: 'revoked-key-restart' }, operation),
      title: `${titleOf(operation, 'under a key that was revoked')} is refused when the target has ended without warning since`,
      calls: [operation.area],
      requirements: ['general.restart.keys'] as const,
      needs: [...needsOf(operation), 'own-merchant', 'key-revocation', 'restart'] as const,
      run: (context: CheckContext) => expectRevokedAfterRestart(context, operation),
    })),
];
