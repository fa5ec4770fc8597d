import type { RequirementId } from '../../../generated/catalogue-ids.ts';
import { announcesEnding, idPrefix, type Kind, kinds } from '../../arrange/webhooks/kinds.ts';
import { expectRepeated } from '../../arrange/webhooks/repeated.ts';
import { expectWebhook } from '../../arrange/webhooks/waiting.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectThat } from '../../check/expect.ts';
import type { Mailbox } from '../../wire/mailbox.ts';

/** A form of addresses that is as right as the usual one. */
interface AddressForm {
  /** The last word of ids. */
  name: string;
  /** The end of a sentence about an address. */
  words: string;
  has(kind: Kind): boolean;
  mailbox(context: CheckContext): Promise<Mailbox>;
  /** The query that a webhook must come with, if the address has one. */
  query?: string;
}

const query = '?shop=7&to=%2Fpaid';

const forms: readonly AddressForm[] = [
  {
    name: 'plain-address',
    words: 'of http',
    // The callbackUrl of a hosted order must be https.
    has: ({ area }) => area !== 'orders',
    mailbox: (context) => context.plainMailbox(),
  },
  {
    name: 'address-without-path',
    words: 'without a path',
    has: () => true,
    mailbox: (context) => context.bareMailbox(),
  },
  {
    name: 'query-without-path',
    words: 'with a query and without a path',
    has: () => true,
    mailbox: (context) => context.bareMailbox(query),
    query,
  },
  {
    name: 'address-with-fragment',
    words: 'with a fragment that is not sent',
    has: () => true,
    mailbox: (context) => context.mailbox(`${query}#part`),
    query,
  },
  {
    name: 'scheme-in-capitals',
    words: 'whose scheme is in capital letters',
    has: () => true,
    async mailbox(context) {
      const mailbox = await context.mailbox();
      return { ...mailbox, url: mailbox.url.replace(/^[a-z]+:/, (scheme) => scheme.toUpperCase()) };
    },
  },
];

/** The requirement that webhooks come to the address that was named for them. */
const postedTo = ({ area }: Kind): RequirementId =>
  area === 'refunds' ? 'webhooks.refund.notify-url' : 'webhooks.order.post';

/** Webhooks to addresses of other forms. */
export const webhooksAddressFormsChecks: readonly CheckDeclaration[] = kinds.flatMap((kind) =>
  forms
    .filter(({ has }) => has(kind))
    .map(
      ({ name, words, mailbox, query: wanted }): CheckDeclaration => ({
        id: `${idPrefix(kind)}.${name}`,
        title: `The end of ${kind.noun} is announced at an address ${words} too, and again where it is not taken`,
        calls: [kind.area],
        requirements: [...new Set([kind.announced[kind.endings[0]], kind.retry, ...(wanted ? [postedTo(kind)] : [])])],
        needs: kind.needs,
        async run(context) {
          const [ending] = kind.endings;
          const subject = await kind.make(context, await mailbox(context), await context.ownMerchant(), ending);
          const reply = { status: 500 };
          subject.mailbox.reply(reply, announcesEnding(subject));
          await subject.end();
          const what = `a webhook of ${kind.noun} that is ${ending}, at an address ${words}`;
          const webhook = await expectWebhook(context, subject, announcesEnding(subject), what);
          if (wanted !== undefined) {
            expectThat(webhook.query === wanted, webhook, {
              expected: `${what}, with the query ${wanted}`,
              actual: `its query = ${webhook.query === '' ? 'none' : webhook.query}`,
              requirement: postedTo(kind),
            });
          }
          await expectRepeated(context, [{ reply, subject }], kind.retry);
        },
      }),
    ),
);
