import type { RequirementId } from '../../../generated/catalogue.ts';
import type { OperationArea } from '../../contract/operations.ts';
import { successCode } from '../../contract/success-code.ts';
import { bodyOf, isOf, isRightlySigned, merchantIdOf, refusal } from '../stand/changes.ts';
import type { Fault } from '../stand/fault.ts';
import type { Handler, ProxyAnswer, ProxyRequest } from '../stand/proxy.ts';
import { refundRefusal } from '../stand/refund-changes.ts';

/** A server that fails at an operation for a merchant that has had nothing made in an area. */
function failingWithout(
  area: OperationArea,
  operation: string,
  failure: (request: ProxyRequest) => ProxyAnswer,
): Handler {
  const known = new Set<string>();
  return async (request, server) => {
    const merchantId = merchantIdOf(request);
    const fails = isOf(operation)(request) && !known.has(merchantId) && isRightlySigned(request, server);
    const answer = fails ? failure(request) : await server.forward(request);
    if (isOf(`${area}.create`)(request) && bodyOf(answer)?.code === successCode) known.add(merchantId);
    return answer;
  };
}

const failedOrder = (request: ProxyRequest) => refusal(request, '99999', 'the system has failed');
const failedRefund = () => refundRefusal(500, 'INTERNAL_ERROR');

const fault = (
  area: OperationArea,
  operation: string,
  words: string,
  breaks: RequirementId,
  failure: (request: ProxyRequest) => ProxyAnswer,
): Fault => ({
  id: `${operation.replace('.', '-')}-fails-without-${area}`,
  title: `Fails at ${words}.`,
  breaks,
  caughtBy: `${operation}.unknown`,
  make: { merchantApi: failingWithout(area, operation, failure) },
});

/** Wrong servers that fail where a merchant has nothing yet. */
export const newcomerFaults: readonly Fault[] = [
  fault(
    'orders',
    'orders.query',
    'the query of a merchant that has made no hosted order',
    'orders.errors.unknown-order',
    failedOrder,
  ),
  fault(
    'checkout',
    'checkout.query',
    'the query of a merchant that has made no checkout order',
    'checkout.errors.unknown-order',
    failedOrder,
  ),
  fault(
    'orders',
    'refunds.query',
    'the refund query of a merchant that has made no order',
    'refunds.errors.refund-not-found',
    failedRefund,
  ),
  fault(
    'refunds',
    'refunds.query',
    'the refund query of a merchant that has made no refund',
    'refunds.errors.refund-not-found',
    failedRefund,
  ),
];
