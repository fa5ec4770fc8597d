import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  contraryChoices,
  type OpenPointId,
  openPoints,
  type RequirementId,
  referenceChoices,
  requirements,
} from '../../generated/catalogue.ts';
import type { Check } from '../check/check.ts';
import { type CheckResult, judge } from '../run/verdict.ts';
import { openStand, patience, patientReceiver, type Stand } from './stand.ts';
import { quickChecks, quickPart } from './testing/quick-checks.ts';
import { type ChosenServer, coveringChoices, singleChoices } from './variants/chosen-servers.ts';
import { besideContrary } from './variants/combinations.ts';
import { combined } from './variants/combined.ts';
import { variants } from './variants/index.ts';

/** The checks that observe what a server answers at an open point. */
const observing = quickChecks.filter(({ openPoint }) => openPoint !== undefined);

let stand: Stand;
beforeAll(async () => {
  stand = await openStand(patientReceiver);
});
afterAll(() => stand.close());

/** Fails when a server is accused, cannot be judged, or is taken for one that chooses otherwise. */
async function expectUnaccused({ make, choices }: ChosenServer, checks: readonly Check[]): Promise<CheckResult[]> {
  const { results } = await stand.judge(make, checks, { concurrency: 16, ...patience });
  const accused = results
    .filter(({ verdict }) => verdict === 'failed' || verdict === 'inconclusive')
    .map(({ check, verdict, reason, expected, actual }) => ({ id: check.id, verdict, reason, expected, actual }));
  expect(accused).toEqual([]);

  const taken = new Map(
    openPoints.map(({ id, reference }) => [id, Object.entries(choices).find(([at]) => at === id)?.[1] ?? reference]),
  );
  const misread = results.flatMap(({ check, observations }) =>
    observations
      .filter(({ openPoint, value }) => value !== undefined && value !== taken.get(openPoint))
      .map(({ openPoint, value, seen }) => `${check.id}: ${openPoint} = ${value} (${seen})`),
  );
  expect(misread).toEqual([]);

  // A permitted answer is warned about only where the register says so.
  const unannounced = results
    .filter(({ verdict, requirement }) => verdict === 'warned' && !isAnnounced(requirement, taken))
    .map(({ check, requirement, expected, actual }) => ({ id: check.id, requirement, expected, actual }));
  expect(unannounced).toEqual([]);
  return results;
}

/** Whether the register says that a run warns about the answer that a server takes at the open point of a requirement. */
function isAnnounced(broken: RequirementId | undefined, taken: ReadonlyMap<OpenPointId, string>): boolean {
  const id = requirements.find((each) => each.id === broken)?.openPoint;
  const values = openPoints.find((each) => each.id === id)?.values ?? {};
  return Object.entries(values).some(
    ([value, text]) => id !== undefined && value === taken.get(id) && text.includes('A run warns about it'),
  );
}

/** Values that no run can tell from the reference server's: the difference is a number that the interface does not give. */
const cannotFail = [
  'rate-limit = built-in',
  'timestamp-boundary = exclusive',
  // A run does not send as many orders in a moment as a limit would have to be for a busy shop.
  'orders-rate-limit = limited',
  // A server that signs in both ways signs in each of the two.
  'webhook-signature = request-scheme',
  'webhook-signature = standard-webhooks',
  // A delay is a number, and words are for people: no check looks at them.
  'webhook-delay = later',
  'refusal-messages = fixed',
];

/** Points at which another choice of the contrary server hides from a check what is chosen. */
const hidden: readonly OpenPointId[] = ['unknown-merchant'];

/** Whether the contrary server shows to the checks that observe a point what this server chooses there. */
const isShownByContrary = ({ openPoint, choices }: (typeof singleChoices)[number]): boolean =>
  !hidden.includes(openPoint) && Reflect.get(choices, openPoint) === Reflect.get(contraryChoices, openPoint);

/** The other values of a point to which it can be pinned without any check failing. */
function unnoticed(point: OpenPointId, taken: string, results: readonly CheckResult[]): string[] {
  const values = Object.keys(openPoints.find(({ id }) => id === point)?.values ?? {});
  return values
    .filter((value) => value !== taken)
    .filter(
      (value) =>
        !results.some(
          ({ check, observations }) =>
            check.openPoint === point && judge(check, undefined, observations, { [point]: value }).verdict === 'failed',
        ),
    )
    .map((value) => `${point} = ${value}`);
}

// They run beside each other because they wait much of the time.
describe.concurrent('a server that chooses otherwise is accused of nothing, and what is seen of its choice is its name', () => {
  it('covers every answer that can be taken', () => {
    const covered = new Set(coveringChoices.flatMap(({ choices }) => Object.entries(choices).map(String)));
    const single = singleChoices.map(({ openPoint, choices }) => String([openPoint, Reflect.get(choices, openPoint)]));
    expect(single.filter((each) => !covered.has(each))).toEqual([]);
    expect(single.length).toBeGreaterThan(50);
  });

  // The others differ from the reference server at few points, which the single ones look at.
  it.for(coveringChoices.slice(0, 1).map((server) => [server.id, server] as const))(
    '%s, with whatever answers at open points leave free, by all that observe and a part of the others',
    async ([, { choices, ...contrary }]) => {
      const beside = variants.filter(({ id }) => besideContrary.includes(id));
      const server = combined([...beside, contrary]);
      const checks = [...new Set([...observing, ...quickPart(0, 24)])];
      const results = await expectUnaccused({ ...server, choices }, checks);
      expect(results.filter(({ verdict }) => verdict === 'passed').length).toBeGreaterThan(checks.length / 4);
      const shown = singleChoices.filter(isShownByContrary).map(({ openPoint }) => openPoint);
      const missed = shown.flatMap((point) => unnoticed(point, Reflect.get(choices, point), results));
      expect(missed.filter((each) => !cannotFail.includes(each))).toEqual([]);
    },
  );

  const observed = singleChoices
    .filter((server) => !isShownByContrary(server))
    .map((server) => ({ server, checks: observing.filter(({ openPoint }) => openPoint === server.openPoint) }))
    .filter(({ checks }) => checks.length > 0);

  it.for(observed.map(({ server, checks }) => [server.id, server, checks] as const))(
    '%s, which the contrary server does not show, by the checks that observe it',
    async ([, server, checks]) => {
      const results = await expectUnaccused(server, checks);
      const taken = String(Reflect.get(server.choices, server.openPoint));
      const missed = unnoticed(server.openPoint, taken, results);
      expect(missed.filter((each) => !cannotFail.includes(each))).toEqual([]);
    },
  );

  it.for([
    ['checkout-shared-address', 'checkout-deposit-address', 'shared'],
    ['checkout-fees-in-percent', 'checkout-fees', 'included'],
  ] as const)('%s, which chooses at %s what the reference server cannot', async ([variant, openPoint, value]) => {
    const server = variants.find(({ id }) => id === variant);
    if (!server) throw new Error(`there is no variant ${variant}`);
    const checks = observing.filter((check) => check.openPoint === openPoint);
    const results = await expectUnaccused({ ...server, choices: { ...referenceChoices, [openPoint]: value } }, checks);
    expect(unnoticed(openPoint, value, results)).toEqual([]);
  });

  it('fails where the reference server is pinned to another value', async () => {
    const results = await expectUnaccused(
      { id: 'reference', title: 'The reference server.', choices: referenceChoices, make: {} },
      observing,
    );
    const missed = openPoints.flatMap(({ id, reference }) => unnoticed(id, reference, results));
    expect(missed.filter((each) => !cannotFail.includes(each))).toEqual([]);
  });
});
