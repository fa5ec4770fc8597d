import { announcesEnding, idPrefix, type Kind, kinds } from '../../arrange/webhooks/kinds.ts';
import { expectRepeated } from '../../arrange/webhooks/repeated.ts';
import { expectWebhook } from '../../arrange/webhooks/waiting.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import type { Mailbox } from '../../wire/mailbox.ts';

/** A form of addresses that is as right as the usual one. */
interface AddressForm {
  /** The last word of ids. */
  name: string;
  /** The end of a sentence about an address. */
  words: string;
  has(kind: Kind): boolean;
  mailbox(context: CheckContext): Promise<Mailbox>;
}

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
];

/** Webhooks to addresses of other forms. */
export const webhooksAddressFormsChecks: readonly CheckDeclaration[] = kinds.flatMap((kind) =>
  forms
    .filter(({ has }) => has(kind))
    .map(
      ({ name, words, mailbox }): CheckDeclaration => ({
        id: `${idPrefix(kind)}.${name}`,
        title: `The end of ${kind.noun} is announced at an address ${words} too, and again where it is not taken`,
        calls: [kind.area],
        requirements: [kind.announced[kind.endings[0]], kind.retry],
        needs: kind.needs,
        async run(context) {
          const [ending] = kind.endings;
          const subject = await kind.make(context, await mailbox(context), await context.ownMerchant(), ending);
          const reply = { status: 500 };
          subject.mailbox.reply(reply);
          await subject.end();
          const what = `a webhook of ${kind.noun} that is ${ending}, at an address ${words}`;
          await expectWebhook(context, subject, announcesEnding(subject), what);
          await expectRepeated(context, [{ reply, subject }], kind.retry);
        },
      }),
    ),
);
