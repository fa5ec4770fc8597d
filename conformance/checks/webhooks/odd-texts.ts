import { ifTaken, sideBySide } from '../../arrange/situations/situations.ts';
import { announcesEnding, idPrefix, type Kind, kinds } from '../../arrange/webhooks/kinds.ts';
import { expectWebhook } from '../../arrange/webhooks/waiting.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { PermittedChoice } from '../../errors/outcomes.ts';
import { printed } from '../../values/printed.ts';

/**
 * Texts of a merchant's own that some writer of an event, or the column in which it waits, does not take: with a NUL, as JSON escapes it and as it is,
 * with backslashes before letters that mean something, with letters of four bytes, with lines and with separators of lines, and JSON of many levels.
 */
const oddTexts = [
  JSON.stringify({ note: 'two\0words' }),
  'two\0words',
  JSON.stringify({ note: 'C:\\0\\new\\N\\x' }),
  JSON.stringify({ note: 'Zażółć 税込 🧾' }),
  JSON.stringify({ note: 'two\u2028words, two\r\nlines' }),
  `${'{"in":'.repeat(20)}"2 > 1 & 'so' on"${'}'.repeat(20)}`,
];

/** The field in which a merchant writes down what it likes. */
const fieldOf = ({ area }: Kind) => (area === 'refunds' ? 'extraData' : 'metadata');

async function expectAnnouncedWith(context: CheckContext, kind: Kind): Promise<void> {
  const merchant = await context.ownMerchant();
  const [ending] = kind.endings;
  const judged = await sideBySide(
    oddTexts.map(async (text) => {
      // Which texts are taken is judged elsewhere.
      const subject = await ifTaken(kind.make(context, await context.mailbox(), merchant, ending, text));
      if (!subject) return false;
      await subject.end();
      const what = `a webhook of ${kind.noun} that is ${ending}, with ${fieldOf(kind)} = ${printed(text)}`;
      await expectWebhook(context, subject, announcesEnding(subject), what);
      return true;
    }),
  );
  if (!judged.includes(true)) throw new PermittedChoice('no such text is taken here (open point field-forms)');
}

/** For each kind: what a merchant has written down does not keep an end from being announced. */
export const webhooksOddTextsChecks: readonly CheckDeclaration[] = kinds.map((kind) => ({
  id: `${idPrefix(kind)}.odd-texts`,
  title: `An end is announced whatever the merchant has written down: ${kind.noun}`,
  calls: [kind.area],
  requirements: [kind.announced[kind.endings[0]]],
  needs: kind.needs,
  run: (context) => expectAnnouncedWith(context, kind),
}));
