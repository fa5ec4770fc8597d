import type { components } from '../../../generated/types.ts';
import type { CheckContext } from '../../check/context.ts';
import { percentEncoded } from '../../contract/percent-encoding.ts';
import type { Credentials } from '../../drivers/driver.ts';
import type { Answer } from '../../wire/exchange.ts';
import { type SignedClient, signedClient } from '../requests/signed-client.ts';
import type { WayToSend } from '../requests/ways-to-send.ts';

export type OrderCreateRequest = components['schemas']['OrderCreateRequest'];

/** The hosted order operations of a target, as one merchant calls them. */
export interface OrdersClient extends SignedClient {
  /** Sends a create of the right shape through the typed client; `way`: how it is written, where that is not as usual. */
  create(request: OrderCreateRequest, way?: WayToSend): Promise<Answer>;
  query(merchantOrderId: string): Promise<Answer>;
  /** Sends a create with any body. */
  createAnything(body: unknown): Promise<Answer>;
  readonly createPath: string;
  queryPath(merchantOrderId: string): string;
}

/** Signs for `merchant` and sends through the check's transport. */
export function ordersClient(context: CheckContext, merchant: Credentials): OrdersClient {
  const signed = signedClient(context, merchant);
  const { merchantId } = merchant;
  const createPath = `${signed.basePath}/orders`;
  return {
    ...signed,
    createPath,
    queryPath: (merchantOrderId) => `${createPath}/${percentEncoded(merchantOrderId)}`,
    create: (body, way) =>
      signed.typed(
        (client) => client.POST('/api/v1/merchants/{merchantId}/orders', { params: { path: { merchantId } }, body }),
        way,
      ),
    query: (merchantOrderId) =>
      signed.typed((client) =>
        client.GET('/api/v1/merchants/{merchantId}/orders/{merchantOrderId}', {
          params: { path: { merchantId, merchantOrderId } },
        }),
      ),
    createAnything: (body) => signed.post(createPath, body),
  };
}
