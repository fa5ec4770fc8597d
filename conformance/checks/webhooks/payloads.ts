import { idPrefix, type Kind, kinds, needEnding } from '../../arrange/webhooks/kinds.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { faultyPlaces } from '../../contract/faulty-places.ts';
import { isSameValue } from '../../contract/same-value.ts';
import { cut, show } from '../../contract/show.ts';
import { type Answer, field } from '../../wire/exchange.ts';

/** Observes what the body of an event holds; the contract binds no more than that it names its subject. */
export const webhooksPayloadChecks: readonly CheckDeclaration[] = kinds.map((kind) => ({
  id: `${idPrefix(kind)}.payload`,
  title: `What an event of ${kind.noun} holds, at which statuses it is sent, and whether it agrees with the view`,
  calls: [kind.area],
  requirements: [kind.payload.requirement],
  needs: kind.needs,
  async run(context) {
    const { point, schema } = kind.payload;
    const ending = kind.endings.at(-1) ?? kind.endings[0];
    const subject = await kind.make(context, await context.mailbox(), await context.ownMerchant(), ending);
    await subject.end();
    const webhook = await needEnding(context, subject, kind);
    const view = await subject.query();
    const told = subject.mailbox.webhooks.map((each) => show(field(each, 'status') ?? field(each, 'data.status')));
    const agrees = [field(webhook, 'status'), field(webhook, 'data.status')].includes(field(view, 'data.status'));
    const misfit = faultyPlaces(webhook.json, `/components/schemas/${schema}`)[0];
    const seen = [
      shape(webhook),
      misfit ? `unlike ${schema}: ${misfit.actual}` : `as ${schema}`,
      `sent at ${told.join(', ')}`,
      `status ${agrees ? 'as' : 'not as'} in the view`,
    ];
    context.observe(point, seen.join('; '), formOf(kind, webhook, view));
  },
}));

/** The form of a body as the register names it. */
function formOf({ payload: { point, id } }: Kind, webhook: Answer, view: Answer): string | null | undefined {
  if (point === 'webhook-refund-payload') {
    const isAt = (prefix: string) => field(webhook, `${prefix}${id}`) === field(view, `data.${id}`);
    return isAt('') ? 'flat' : isAt('data.') ? 'nested' : null;
  }
  const form = ['flat', 'nested'].find((each) => isCopy(webhook, view, each === 'flat' ? '' : 'data.'));
  const minimal = field(webhook, 'status') !== undefined && field(webhook, 'merchantOrderId') !== undefined;
  return form ?? (minimal ? 'minimal' : undefined);
}

/** True when the body of the webhook has the fields of the order's view, behind a prefix such as `data.`. */
function isCopy(webhook: Answer, view: Answer, prefix: string): boolean {
  const names = ['orderAmount', 'expiresAt', 'createdAt'];
  return names.every((name) => isSameValue(field(webhook, `${prefix}${name}`), field(view, `data.${name}`)));
}

/** The names of the fields in the body of a webhook. */
function shape({ json, text }: Answer): string {
  return typeof json === 'object' && json !== null ? Object.keys(json).join(', ') : `no JSON: ${cut(text, 60)}`;
}
