import type { RequirementId } from '../../../../generated/catalogue.ts';
import type { JsonObject } from '../../../contract/json.ts';
import { isOf, merchantIdOf, onlyFor, showing } from '../../stand/changes.ts';
import type { Fault, Make } from '../../stand/fault.ts';
import { showingRefunds } from '../../stand/refund-changes.ts';

/**
 * A server that changes the views or records in its answers to one operation. `change` may keep state between answers.
 */
function answersOf(operation: string, change: (view: JsonObject, merchantId: string) => JsonObject): Make {
  const viewOf = (view: JsonObject, request: Parameters<typeof merchantIdOf>[0]) => change(view, merchantIdOf(request));
  return {
    merchantApi: operation.startsWith('refunds.')
      ? showingRefunds(viewOf, isOf(operation))
      : onlyFor(isOf(operation), showing(viewOf)),
  };
}

/**
 * A server that shows one platform id everywhere: the first id of the merchant, or of all merchants if `ofAll` is
 * true.
 */
function alwaysTheFirst(operation: string, field: string, ofAll: boolean): Make {
  const first = new Map<string, unknown>();
  return answersOf(operation, (view, merchantId) => {
    const key = ofAll ? '' : merchantId;
    if (!first.has(key)) first.set(key, view[field]);
    return { ...view, [field]: first.get(key) };
  });
}

/** A server that shows another platform id in each answer by appending the answer's number. */
function numberingAnswers(operation: string, field: string): Make {
  let answers = 0;
  return answersOf(operation, (view) => {
    answers += 1;
    return { ...view, [field]: `${view[field]}.${answers}` };
  });
}

const shown: readonly {
  operation: string;
  field: string;
  platformId: RequirementId;
  /** Checks in which a merchant sees two different orders or refunds. */
  two: readonly string[];
  oneForEach?: RequirementId;
  /** Checks in which a merchant sees one order or refund twice, the second time in an answer of this operation. */
  twice?: readonly string[];
}[] = [
  {
    operation: 'orders.create',
    field: 'orderId',
    platformId: 'orders.view.order-id',
    two: ['orders.create.both-currencies'],
  },
  {
    operation: 'orders.query',
    field: 'orderId',
    platformId: 'orders.view.order-id',
    two: ['orders.situations.created'],
  },
  {
    operation: 'checkout.create',
    field: 'orderId',
    platformId: 'checkout.view.order-id',
    two: ['checkout.situations.created'],
    oneForEach: 'checkout.create.idempotent',
    twice: ['checkout.create.repeat.identical'],
  },
  {
    operation: 'checkout.query',
    field: 'orderId',
    platformId: 'checkout.view.order-id',
    two: ['checkout.situations.created'],
    oneForEach: 'checkout.create.idempotent',
    twice: ['checkout.view.init'],
  },
  {
    operation: 'refunds.create',
    field: 'refundOrderId',
    platformId: 'refunds.record.platform-id',
    two: ['refunds.record.platform-id'],
    oneForEach: 'refunds.create.idempotent',
    twice: ['refunds.create.repeat.parallel'],
  },
  {
    operation: 'refunds.query',
    field: 'refundOrderId',
    platformId: 'refunds.record.platform-id',
    two: ['refunds.query.priority'],
    oneForEach: 'refunds.create.idempotent',
    twice: ['refunds.query.by-merchant-refund-order-id'],
  },
  {
    operation: 'refunds.batch-query',
    field: 'refundOrderId',
    platformId: 'refunds.record.platform-id',
    two: ['refunds.batch-query.known'],
    oneForEach: 'refunds.create.idempotent',
    twice: ['refunds.batch-query.known'],
  },
];

/** Wrong servers that confuse the ids of orders and refunds. */
export const identityFaults: readonly Fault[] = shown.flatMap(
  ({ operation, field, platformId, two, oneForEach, twice = [] }): Fault[] => {
    const name = operation.replace('.', '-');
    return [
      {
        id: `${name}-shows-the-first-id`,
        title: `Shows the first ${field} that it has shown in every later answer of ${operation} too.`,
        breaks: platformId,
        caughtBy: `${operation}.identity.platform-id`,
        feeds: two,
        make: alwaysTheFirst(operation, field, operation.startsWith('refunds.')),
      },
      ...(oneForEach
        ? [
            {
              id: `${name}-shows-new-ids`,
              title: `Shows another ${field} in each answer of ${operation}.`,
              breaks: oneForEach,
              caughtBy: `${operation}.identity.one-for-each-id`,
              feeds: twice,
              make: numberingAnswers(operation, field),
            },
          ]
        : []),
    ];
  },
);
