import { describe, expect, it } from 'vitest';
import { networkNames } from './network-names.ts';
import { orderEvent } from './testing/events.ts';
import { checkoutView, judged, orderView, paths, payment, request, success } from './testing/histories.ts';

const order = (number: number, network: string, networkDisplayName: unknown) =>
  request({
    method: 'GET',
    path: paths.checkoutOrder(`order-000000000${number}`),
    answered: success(checkoutView({ orderId: `chk.${number}`, network, networkDisplayName })),
  });

const list = (...methods: readonly (readonly [network: string, networkDisplayName: unknown])[]) =>
  request({
    method: 'GET',
    path: paths.paymentMethods,
    answered: success({
      paymentMethods: methods.map(([network, networkDisplayName]) => ({ network, networkDisplayName })),
    }),
  });

const ofQuery = 'checkout.query.network-names.own';
const ofList = 'checkout.payment-methods.network-names.own';
const same = (operation: string) => `${operation}.network-names.same`;

describe('the display name of a network', () => {
  it('may differ between a list and a view, and be the same for several orders', () => {
    const seen = [list(['eth', 'Ethereum'], ['tron', 'TRON']), order(1, 'eth', 'ERC20'), order(2, 'eth', 'ERC20')];
    expect(judged(networkNames, ...seen)).toEqual({
      broken: [],
      kept: [ofList, same('checkout.payment-methods'), ofQuery, same('checkout.query')],
    });
  });

  it('is not that of another network, in a list, in a view or in both', () => {
    const broken = (...seen: Parameters<typeof judged>[1][]) => judged(networkNames, ...seen).broken;
    expect(broken(list(['eth', 'Ethereum'], ['polygon', 'Ethereum']))).toEqual([
      {
        rule: ofList,
        expected: 'data.networkDisplayName tells networks apart',
        actual:
          'Ethereum is the name of eth in the answer of checkout.payment-methods, and of polygon in that of checkout.payment-methods',
      },
    ]);
    expect(broken(order(1, 'eth', 'TRON'), order(2, 'tron', 'TRON'))).toMatchObject([{ rule: ofQuery }]);
    expect(broken(list(['tron', 'TRON']), order(1, 'eth', 'TRON'))).toMatchObject([{ rule: ofQuery }]);
  });

  it('is the same in every view, and in every list', () => {
    const seen = [list(['eth', 'Ethereum']), list(['eth', 'ERC20']), order(1, 'eth', 'Ether'), order(2, 'eth', 'ETH')];
    expect(judged(networkNames, ...seen).broken).toEqual([
      {
        rule: same('checkout.payment-methods'),
        expected: 'data.networkDisplayName = Ethereum for eth, as in an earlier answer of checkout.payment-methods',
        actual: 'data.networkDisplayName = ERC20',
      },
      {
        rule: same('checkout.query'),
        expected: 'data.networkDisplayName = Ether for eth, as in an earlier answer of checkout.query',
        actual: 'data.networkDisplayName = ETH',
      },
    ]);
  });

  it('is not judged where it is none, or of a network that the contract does not have', () => {
    const seen = [list(['eth', null], ['ETH', 'Ethereum']), order(1, 'moonchain', 'Ethereum')];
    expect(judged(networkNames, ...seen)).toEqual({ broken: [], kept: [] });
  });
});

describe('the name of a network in hosted orders', () => {
  const paid = (number: number, name: string) =>
    request({
      method: 'GET',
      path: paths.order(`order-000000000${number}`),
      start: 10,
      answered: success(
        orderView({
          orderId: `ord.${number}`,
          ...payment,
          cryptoPaymentDetail: { ...payment.cryptoPaymentDetail, network: name },
        }),
      ),
    });
  const over = (number: number, network: string) =>
    orderEvent(
      1,
      { type: 'transaction_detected', network },
      { orderId: `ord.${number}`, result: { done: true, payment: { paymentMethod: 'ON_CHAIN_TRANSFER', network } } },
    );
  const seen = (second: string) => [over(1, 'eth'), over(2, 'arbitrum'), paid(1, 'ETHEREUM'), paid(2, second)];
  const rule = 'orders.query.network-names.own';

  it('is not that of another network over which orders were paid', () => {
    expect(judged(networkNames, ...seen('ETHEREUM')).broken).toMatchObject([{ rule }]);
    expect(judged(networkNames, ...seen('ARBITRUM'))).toEqual({
      broken: [],
      kept: [rule, same('orders.query')],
    });
  });
});
