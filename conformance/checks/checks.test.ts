import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { openPoints, requirements } from '../../generated/catalogue.ts';
import { invariantOf } from '../invariants/index.ts';
import { version } from '../run/version.ts';
import { everyId, suiteVersions } from './check-ids.ts';
import { listChecks } from './generate.ts';
import { allChecks } from './index.ts';
import { listedChecks } from './listed-checks.ts';
import { currentId, replacedIds } from './replaced-ids.ts';

const ids = allChecks.map(({ id }) => id);

/** The rule of a check that holds for several operations or kinds of webhooks; `undefined`: it stands alone. */
function ruleOf(id: string): string | undefined {
  if (invariantOf(id)) return `invariant ${id.split('.').slice(-2).join('.')}`;
  const [area, kind, ...rule] = id.split('.');
  if (area === 'auth') return `authentication ${id.split('.').at(-1)}`;
  return area === 'webhooks' && /^(order|checkout-order|refund)$/.test(kind ?? '')
    ? `webhook ${rule.join('.')}`
    : undefined;
}

/**
 * Rules whose level differs by the kind of record, because the contract's does: it binds the retries and the body of an order's webhook,
 * and leaves open what becomes of a checkout order that is cancelled or whose payment is under way.
 */
const unlikeOnPurpose = [
  'invariant deliveries.identifies',
  'webhook retry.',
  'webhook cancelled',
  'webhook processing',
];

describe('the list of checks', () => {
  it('stands in generated/checks.json as the code of the checks gives it', () => {
    const listed = new Map(listedChecks.map((check) => [check.id, check]));
    expect(listedChecks.map(({ id }) => id)).toEqual(ids);
    // Only what differs, because the whole list would fill the report.
    const stale = listChecks().filter((check) => !isDeepStrictEqual(check, listed.get(check.id)));
    expect(stale, 'run `npm run generate` and commit what it writes').toEqual([]);
  });

  it('keeps every id for good: whoever removes or renames one breaks the baselines and reports of others', () => {
    expect(everyId.filter((id) => !ids.includes(currentId(id)))).toEqual([]);
  });

  it('has every id in check-ids.ts: add the new ones to its last list', () => {
    expect(ids.filter((id) => !everyId.includes(id))).toEqual([]);
  });

  it('names the present version of the suite last', () => {
    expect(suiteVersions.at(-1)).toBe(version.split('.').slice(0, 2).join('.'));
  });

  it('replaces an id only by one of a check that there is', () => {
    expect(Object.entries(replacedIds).filter(([old, id]) => ids.includes(old) || !ids.includes(id))).toEqual([]);
  });

  it('has every id once', () => {
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  it('gives each check a requirement of its own level', () => {
    const levels = new Map(requirements.map(({ id, level }) => [id, level]));
    const without = allChecks.filter((check) => !check.requirements.some((id) => levels.get(id) === check.level));
    expect(without.map(({ id }) => id)).toEqual([]);
  });

  it('gives like rules like levels, whichever operation or record they bind', () => {
    const levels = new Map<string, Set<string>>();
    for (const { id, level } of allChecks) {
      const rule = ruleOf(id);
      if (rule !== undefined) levels.set(rule, (levels.get(rule) ?? new Set()).add(level));
    }
    expect(levels.size).toBeGreaterThan(50);
    const unlike = [...levels].filter(([, of]) => of.size > 1).map(([rule]) => rule);
    expect(unlike.filter((rule) => !unlikeOnPurpose.some((known) => rule.startsWith(known)))).toEqual([]);
  });

  it('says in its titles what is judged, in words and with no keyword or pattern of a schema', () => {
    const schema =
      /\b(keeps to|required true|(min|max)(Length|Items)|exclusiveM|anyOf|oneOf|enum|const|contentMediaType)\b|\^/;
    expect(allChecks.flatMap(({ title }) => (schema.test(title) ? [title] : []))).toEqual([]);
    const titles = new Map(allChecks.map(({ id, title }) => [id, title]));
    expect(titles.get('orders.create.returnUrl.required')).toBe('A request without returnUrl is refused');
    expect(titles.get('orders.create.merchantOrderId.minLength')).toBe(
      'merchantOrderId of fewer than 16 characters is refused',
    );
    expect(titles.get('orders.create.callbackUrl.pattern')).toBe(
      "callbackUrl in another form than the contract's is refused",
    );
    expect(titles.get('checkout.create.items.quantity.type')).toBe(
      'What is answered to items.quantity that is no whole number',
    );
  });

  it('names an open point in each check that only observes', () => {
    expect(allChecks.filter(({ level, openPoint }) => level === 'MAY' && openPoint === undefined)).toEqual([]);
  });
});

describe('the trace from requirements to checks', () => {
  const due = requirements.filter(({ verification }) => verification.by === 'check');

  it.each(due.map(({ level, id }) => [level, id] as const))('%s %s has a check of its level', (level, id) => {
    // A check of a higher level may observe too.
    const fits = (check: { level: string }) => level === 'MAY' || check.level === level;
    expect(allChecks.filter((check) => fits(check) && check.requirements.includes(id))).not.toEqual([]);
  });

  it('has no check for a requirement that the catalogue says nothing can verify', () => {
    const none = requirements.filter(({ verification }) => verification.by === 'none').map(({ id }) => id);
    const judged = allChecks.filter(({ requirements: named }) => named.some((id) => none.includes(id)));
    expect(judged.map(({ id }) => id)).toEqual([]);
  });
});

describe('the register of open points', () => {
  it('leaves checkout operations free to ignore X-Api-Key: no check of a missing or unknown key asks one', () => {
    const bound = ['auth.api-key.required', 'auth.api-key.unknown'];
    const asking = allChecks.filter((check) => check.requirements.some((id) => bound.includes(id)));
    expect(asking.length).toBeGreaterThan(0);
    expect(asking.filter(({ id, area, calls = [] }) => [...calls, area, id].join(' ').includes('checkout'))).toEqual(
      [],
    );
  });

  const observed = openPoints.filter(({ observed: what }) => !what.startsWith('Nothing'));

  it.each(observed.map(({ id }) => [id]))('%s is observed by a check, as its entry says', (id) => {
    expect(allChecks.filter(({ openPoint }) => openPoint === id)).not.toEqual([]);
  });
});
