import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allChecks } from '../../checks/index.ts';
import { textSummary } from '../../reporters/text.ts';
import { runConformance } from '../../run/run-conformance.ts';

const method = {
  paymentMethodType: 'ON_CHAIN_TRANSFER',
  cryptoCurrency: 'USDT',
  network: 'tron',
  networkDisplayName: 'Tron',
  minAmount: '1',
  maxAmount: 500,
  estimatedConfirmationTimeSec: 60,
  displayOrder: 1,
};

/** Lists one payment method, whatever is asked for. */
const server = createServer((_request, response) => {
  const data = { merchantId: 'M-1', paymentMethods: [method] };
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ code: '00000', message: 'Success', data }));
});

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => {
  server.close();
});

describe('a list of payment methods with text in the place of a number', () => {
  it('leaves the checks that need it without a verdict, names the field, and is the first thing to fix', async () => {
    const judging = 'checkout.payment-methods.fields';
    const waiting = ['checkout.create.minimal', 'checkout.query.unknown'];
    const checks = allChecks.filter(({ id }) => [judging, ...waiting].includes(id));
    const { report } = await runConformance({
      target: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      merchants: { default: { merchantId: 'M-1', apiKey: 'key-of-merchant', apiSecret: 'secret-of-merchant' } },
      checks,
    });
    const stopped = report.checks.filter(({ id, verdict }) => id !== judging && verdict === 'inconclusive');
    expect(stopped.map(({ id }) => id).sort()).toEqual(waiting);
    for (const { reason } of stopped) {
      expect(reason).toBe(
        'the answer to listing the payment methods breaks the contract: data.paymentMethods.0.minAmount = "1"; expected: data.paymentMethods.0.minAmount is a number',
      );
    }
    expect(textSummary(report)).toMatch(
      /\nFix first: checkout\.payment-methods\.bounds: .* --check checkout\.payment-methods\.fields /,
    );
  });
});
