import { expect, it } from 'vitest';
import { endedBeforeAnswer, endedEachTime, hasEnded } from '../../history/ended-target.ts';
import type { CheckReport, Report } from '../../run/report.ts';
import { endedIn } from './ended-target.ts';

/** What is said of checks with these reasons, of which the others are without a verdict too. */
function textsOf(...reasons: readonly (string | null)[]) {
  const checks = reasons.map((reason) => ({ verdict: 'inconclusive', reason }) as CheckReport);
  const nameIt = endedIn({ checks } as unknown as Report);
  return checks.map((check) => nameIt(check)?.text);
}

const cutOff = `no answer to GET /a: ${endedBeforeAnswer}, and came back after 5 s: closed`;
const refused = `no answer to GET /a: ${hasEnded}, and is not waited for any more: refused`;
const each = (request: string) => `${endedEachTime} ${request} (twice), and came back after 5 s`;

it('puts all checks that the end of the target kept from a verdict under one cause', () => {
  const text = 'the target ended while requests were under way';
  expect(textsOf(cutOff, refused, 'another reason', null)).toEqual([text, text, undefined, undefined]);
});

it('names the request at which the target ended each time, and how many others there are', () => {
  const [orders, refunds] = [each('POST …/orders'), each('POST …/refunds')];
  expect(textsOf(cutOff, orders, orders)).toEqual([orders, orders, orders]);
  expect(textsOf(cutOff, orders, refunds)[0]).toBe(`${orders}, and at 1 other kind of request`);
});
