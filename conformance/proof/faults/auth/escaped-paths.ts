import { idOfRule } from '../../../arrange/authentication/rule.ts';
import { authenticationRules } from '../../../arrange/authentication/rules/index.ts';
import { contractOperations } from '../../../contract/operations.ts';
import { type Takes, takesByRule } from '../../stand/auth-changes.ts';
import { alsoTaking, bodyOf, isHosted, isOf, jsonAnswer, onlyFor, queriedId } from '../../stand/changes.ts';
import type { Fault } from '../../stand/fault.ts';
import { answeringUnknownOrder } from '../../stand/order-changes.ts';
import { type ProxyRequest, splitTarget } from '../../stand/proxy.ts';

const isEscaped = ({ target }: ProxyRequest): boolean => splitTarget(target).path.includes('%');

const onEscapedPaths =
  (takes: Takes): Takes =>
  (request, merchant, server) =>
    isEscaped(request) && takes(request, merchant, server);

/** A rule of authentication that is forgotten, and an operation that forgets it. */
const forgotten: readonly (readonly [rule: string, operation: string])[] = [
  ['other-merchant', 'orders.query'],
  ['other-merchant', 'refunds.query'],
  ['other-merchant', 'checkout.query'],
  ['unsigned', 'orders.create'],
  ['unknown-key', 'refunds.create'],
  ['other-secret', 'checkout.create'],
  ['too-old', 'refunds.batch-query'],
];

const forgettingRules: readonly Fault[] = forgotten.flatMap(([name, operationName]) => {
  const rule = authenticationRules.find((each) => each.name === name);
  const operation = contractOperations.find((each) => each.name === operationName);
  const takes = takesByRule[name];
  if (!rule || !operation || !takes) return [];
  return [
    {
      id: `${operationName.replace('.', '-')}-taken-${name}-on-escaped-path`,
      title: `Takes a request ${rule.words} in ${operationName}, where its path has an escape.`,
      breaks: rule.requirements(operation)[0],
      caughtBy: idOfRule(rule, operation),
      make: { merchantApi: onlyFor(isOf(operationName), alsoTaking(onEscapedPaths(takes))) },
    },
  ];
});

/** Wrong servers that treat a request otherwise whose path has escapes that are not needed. */
export const escapedPathFaults: readonly Fault[] = [
  ...forgettingRules,
  {
    id: 'unknown-order-http-404-on-escaped-path',
    title: 'Answers a query for an order that does not exist with HTTP 404, where its path has an escape.',
    breaks: 'orders.http-200',
    caughtBy: 'orders.errors.http-200',
    make: {
      merchantApi: onlyFor(
        (request) => isHosted(request) && isEscaped(request),
        async (request, server) => {
          const answer = await server.forward(request);
          return bodyOf(answer)?.code === '40001' ? { ...answer, status: 404 } : answer;
        },
      ),
    },
  },
  {
    id: 'merchant-as-written-in-refusals',
    title: 'Names the merchant in a refusal as the path has it written, with its escapes.',
    breaks: 'orders.envelope.failure',
    caughtBy: 'orders.errors.envelope',
    make: {
      merchantApi: onlyFor(
        (request) => isHosted(request) && isEscaped(request),
        async (request, server) => {
          const answer = await server.forward(request);
          const envelope = bodyOf(answer);
          const merchantId = /\/merchants\/([^/?]+)/.exec(request.target)?.[1];
          if (envelope?.code !== '40001') return answer;
          return jsonAnswer({ ...envelope, data: { ...Object(envelope.data), merchantId } });
        },
      ),
    },
  },
  ...(['orders', 'checkout'] as const).map(
    (area): Fault => ({
      id: `${area}-unknown-invalid-parameter-on-escaped-path`,
      title: `Answers a query of ${area} for what does not exist as one with a wrong parameter, where its path has an escape.`,
      breaks: `${area}.errors.unknown-order`,
      caughtBy: `${area}.query.unknown`,
      make: answeringUnknownOrder(
        (request) =>
          isOf(`${area}.query`)(request) &&
          isEscaped(request) &&
          /^[A-Za-z0-9_-]{16,64}$/.test(queriedId(request) ?? ''),
        (envelope) => ({ ...envelope, code: '10001' }),
      ),
    }),
  ),
];
