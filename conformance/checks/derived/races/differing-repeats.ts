import type { RequirementId } from '../../../../generated/catalogue.ts';
import { checkoutMerchant, checkoutRequest } from '../../../arrange/checkout-orders/checkout-orders.ts';
import { ordersClient } from '../../../arrange/orders/client.ts';
import { orderRequest } from '../../../arrange/orders/orders.ts';
import { refundsClient } from '../../../arrange/refunds/client.ts';
import { makePaidOrder } from '../../../arrange/refunds/paid-orders.ts';
import { refundRequest } from '../../../arrange/refunds/refunds.ts';
import { atTheSameMoment, everyRound, type Start } from '../../../arrange/situations/races.ts';
import type { CheckContext } from '../../../check/context.ts';
import type { CheckDeclaration } from '../../../check/define-checks.ts';
import { countJudged, expectThat, isAccepted, seenAt } from '../../../check/expect.ts';
import { instantOf } from '../../../contract/moments.ts';
import { show } from '../../../contract/show.ts';
import { type Answer, field } from '../../../wire/exchange.ts';

/** Creates under one id, each with another value of a field that is never changed, and a query by that id. */
interface Differing {
  creates: readonly ((start: Start) => Promise<Answer>)[];
  query(): Promise<Answer>;
}

/** What is created, and where an answer shows the platform's id and the field that differs. */
interface Kind {
  area: 'orders' | 'checkout' | 'refunds';
  words: string;
  requirement: RequirementId;
  needs?: CheckDeclaration['needs'];
  id: string;
  path: string;
  prepare(context: CheckContext): Promise<Differing>;
}

/** How many creates come at the same moment. */
const places = [0, 1, 2, 3] as const;

/** Times of expiry, some minutes apart. */
const expiryOf = (context: CheckContext, place: number) =>
  new Date(context.now() + (30 + place) * 60_000).toISOString();

const kinds: readonly Kind[] = [
  {
    area: 'orders',
    words: 'hosted creates with different times of expiry',
    requirement: 'orders.view.constant',
    id: 'data.orderId',
    path: 'data.expiresAt',
    async prepare(context) {
      const client = ordersClient(context, await context.merchant());
      const request = orderRequest(context);
      return {
        creates: places.map((place) => {
          const body = { ...request, expiresAt: expiryOf(context, place) };
          return (start) => client.post(client.createPath, body, start);
        }),
        query: () => client.query(request.merchantOrderId),
      };
    },
  },
  {
    area: 'checkout',
    words: 'checkout creates with different metadata',
    requirement: 'checkout.create.idempotent',
    id: 'data.orderId',
    path: 'data.metadata',
    async prepare(context) {
      const { client, method } = await checkoutMerchant(context, await context.merchant());
      const request = checkoutRequest(context, method);
      return {
        creates: places.map((place) => {
          const body = { ...request, metadata: `{"parcel":"${place}"}` };
          return (start) => client.post(client.createPath, body, start);
        }),
        query: () => client.query(request.merchantOrderId),
      };
    },
  },
  {
    area: 'refunds',
    words: 'refund creates with different extraData',
    requirement: 'refunds.create.idempotent',
    needs: ['order-events'],
    id: 'data.refundOrderId',
    path: 'data.extraData',
    async prepare(context) {
      const merchant = await context.merchant();
      const client = refundsClient(context, merchant);
      const { orderId } = await makePaidOrder(context, merchant);
      const request = refundRequest(context, orderId);
      const { merchantRefundOrderId } = request;
      return {
        creates: places.map((place) => {
          const body = { ...request, extraData: `{"parcel":"${place}"}` };
          return (start) => client.post(client.refundsPath, body, start);
        }),
        query: () => client.query({ merchantRefundOrderId }),
      };
    },
  },
];

/** Whether two values are the same text, or the same moment. An answer may leave a field out. */
const isSame = (one: unknown, other: unknown): boolean =>
  (one ?? other ?? null) === (other ?? one ?? null) || instantOf(one) === instantOf(other);

/** Of creates under one id that come at the same moment, each with another value of a field, one makes the record, and the others do not change it. */
export const differingRepeatRaces: readonly CheckDeclaration[] = kinds.map(
  ({ area, words, requirement, needs, id, path, prepare }) => ({
    id: `${area}.race.differing-repeats`,
    title: `Of ${words} under one id that come at the same moment, none changes what another one has made`,
    requirements: [requirement],
    ...(needs && { needs }),
    run: (context) =>
      everyRound(async () => {
        const { creates, query } = await prepare(context);
        const created = await atTheSameMoment(creates);
        const later = await query();
        for (const answer of created) {
          // A platform may make another order under an id that is taken.
          if (!isAccepted(answer) || !isAccepted(later) || field(answer, id) !== field(later, id)) continue;
          countJudged(answer);
          expectThat(isSame(field(answer, path), field(later, path)), later, {
            expected: `${path} = ${show(field(answer, path))}, as one of ${created.length} creates that came at the same moment has shown`,
            actual: seenAt(later, path),
          });
        }
      }),
  }),
);
