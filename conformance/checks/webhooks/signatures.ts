import { makeCancelledOrder } from '../../arrange/webhooks/webhooks.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectThat } from '../../check/expect.ts';
import { knownSchemes, signatureHeaders, verifyingSchemes } from '../../wire/signing/webhook-signature.ts';

export const webhooksSignaturesChecks: readonly CheckDeclaration[] = [
  {
    id: 'webhooks.signed',
    title: 'A webhook carries a signature',
    calls: ['orders'],
    requirements: ['webhooks.signed'],
    openPoint: 'webhook-signature',
    needs: ['order-events'],
    async run(context) {
      const { order, webhook } = await makeCancelledOrder(context);
      const carriers = signatureHeaders(webhook);
      const schemes = verifyingSchemes(webhook, order.merchant.apiSecret);
      const value = schemes.length > 1 ? 'both' : (schemes[0] ?? null);
      const verified = schemes.length > 0 ? schemes.join(' and ') : 'none of the known schemes';
      context.observe(
        'webhook-signature',
        `${carriers.join(', ') || 'no header'}; verified by ${verified}`,
        value,
        schemes,
      );
      expectThat(carriers.length > 0, webhook, {
        expected: 'a header that could carry a signature',
        actual: `headers: ${Object.keys(webhook.headers).join(', ')}`,
      });
      expectThat(schemes.length > 0, webhook, {
        expected: `a signature that ${knownSchemes} verifies with the merchant's secret`,
        actual: `none of them verifies ${carriers.join(', ')}`,
      });
    },
  },
];
