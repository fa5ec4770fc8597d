import type { components, operations } from '../../../generated/types.ts';
import type { CheckContext } from '../../check/context.ts';
import type { Credentials } from '../../drivers/driver.ts';
import type { Answer } from '../../wire/exchange.ts';
import { type SignedClient, signedClient } from '../requests/signed-client.ts';
import type { WayToSend } from '../requests/ways-to-send.ts';

export type RefundCreateRequest = components['schemas']['RefundCreateRequest'];
/** The ids by which a refund can be asked for. */
export type RefundQuery = NonNullable<operations['getRefund']['parameters']['query']>;

/** The refund operations of a target, as one merchant calls them. */
export interface RefundsClient extends SignedClient {
  /** Sends a create of the right shape through the typed client; `way`: how it is written, where that is not as usual. */
  create(request: RefundCreateRequest, way?: WayToSend): Promise<Answer>;
  /** The ids are sent in the order in which they are given. */
  query(by: RefundQuery): Promise<Answer>;
  batchQuery(merchantRefundOrderIds: string[]): Promise<Answer>;
  /** Sends a create with any body. */
  createAnything(body: unknown): Promise<Answer>;
  /** Sends a batch query with any body. */
  batchQueryAnything(body: unknown): Promise<Answer>;
  /** The path of create and query. */
  readonly refundsPath: string;
  readonly batchPath: string;
}

/** Signs for `merchant` and sends through the check's transport. */
export function refundsClient(context: CheckContext, merchant: Credentials): RefundsClient {
  const signed = signedClient(context, merchant);
  const { merchantId } = merchant;
  const refundsPath = `${signed.basePath}/refunds`;
  const batchPath = `${refundsPath}/batch-query`;
  return {
    ...signed,
    refundsPath,
    batchPath,
    create: (body, way) =>
      signed.typed(
        (client) => client.POST('/api/v1/merchants/{merchantId}/refunds', { params: { path: { merchantId } }, body }),
        way,
      ),
    query: (query) =>
      signed.typed((client) =>
        client.GET('/api/v1/merchants/{merchantId}/refunds', { params: { path: { merchantId }, query } }),
      ),
    batchQuery: (merchantRefundOrderIds) =>
      signed.typed((client) =>
        client.POST('/api/v1/merchants/{merchantId}/refunds/batch-query', {
          params: { path: { merchantId } },
          body: { merchantRefundOrderIds },
        }),
      ),
    createAnything: (body) => signed.post(refundsPath, body),
    batchQueryAnything: (body) => signed.post(batchPath, body),
  };
}
