import { askUntilBack, pollAfterRestart } from '../../../arrange/situations/restarts.ts';
import type { CheckDeclaration } from '../../../check/define-checks.ts';
import { expectThat, isAccepted } from '../../../check/expect.ts';
import { errorCode } from '../../../contract/error-codes.ts';
import { show } from '../../../contract/show.ts';
import { type Answer, field } from '../../../wire/exchange.ts';
import { createAmidRestart, expectAsShown, expectRecord, type Records, recordsOf } from './records.ts';

const acknowledged = (records: Records): CheckDeclaration => ({
  id: `${records.area}.restart.acknowledged`,
  mayCall: ['checkout'],
  title: `A ${records.noun} that was acknowledged is still there when the target has ended without warning`,
  requirements: ['general.restart.acknowledged'],
  needs: ['own-merchant', 'restart', ...(records.needs ?? [])],
  long: true,
  restartsApart: true,
  async run(context) {
    const [further, ...creations] = await records.prepare(context);
    const outcomes = await createAmidRestart(context, creations);
    // One that is made now is another one, and takes the place of none from before.
    const made = further && (await askUntilBack(context, further.create, further.query));
    const idsBefore = outcomes.flatMap(({ result }) =>
      result && isAccepted(result) ? [field(result, records.id)] : [],
    );
    if (made && isAccepted(made)) {
      const id = field(made, records.id);
      expectThat(!idsBefore.includes(id), made, {
        expected: `a ${records.noun} that is made after the restart: another ${records.id} than those made before`,
        actual: `${records.id} = ${show(id)}, which another one has`,
        requirement: 'general.restart.acknowledged',
      });
    }
    // Whether hosted orders are found by their platform's ids at all is open.
    const isFoundOtherwise =
      records.area !== 'orders' || (made && further.queryOtherwise && isAccepted(await further.queryOtherwise(made)));
    await Promise.all(
      outcomes.map(async ({ task, result }) => {
        if (!result || !isAccepted(result)) return;
        const answer = await pollAfterRestart(context, task.query, isAccepted);
        const id = field(result, records.id);
        expectRecord(answer, records, id, 'after the restart, as it was acknowledged');
        expectAsShown(answer, records, result);
        const { queryOtherwise } = task;
        if (!queryOtherwise || !isFoundOtherwise) return;
        const otherwise = await pollAfterRestart(context, () => queryOtherwise(result), isAccepted);
        expectRecord(otherwise, records, id, 'after the restart, under another of its ids');
      }),
    );
  },
});

const sentAgain = (records: Records): CheckDeclaration => ({
  id: `${records.area}.restart.repeat`,
  mayCall: ['checkout'],
  title: `A create of a ${records.noun} makes one, also when it is sent again because the target has ended`,
  requirements: ['general.restart.repeat', 'general.restart.acknowledged'],
  needs: ['own-merchant', 'restart', ...(records.needs ?? [])],
  long: true,
  async run(context) {
    const ended = (await records.prepareEnded?.(context)) ?? [];
    const creations = await records.prepare(context);
    // Whether a repeat is answered at all is judged elsewhere.
    let repeat: Answer | undefined;
    const outcomes = await createAmidRestart(context, creations, async () => {
      repeat = await creations[0]?.create();
    });
    await Promise.all([
      ...ended.map(async ({ made, create, query, queryOtherwise = query }) => {
        const found = await pollAfterRestart(context, query, isAccepted);
        const otherwise = await pollAfterRestart(context, () => queryOtherwise(made), isAccepted);
        const id = field(made, records.id);
        if (isAccepted(otherwise)) {
          const expected = 'after the restart, under the id of its order';
          expectRecord(otherwise, records, id, expected, 'general.restart.acknowledged');
        }
        if (isAccepted(found)) expectAsShown(found, records, made);
        // A repeat may be refused when the refund has ended.
        const answers = [
          await askUntilBack(context, create, query),
          await pollAfterRestart(context, query, isAccepted),
        ];
        for (const answer of answers.filter(isAccepted)) {
          expectRecord(answer, records, id, 'after its create was sent again');
          expectAsShown(answer, records, made);
        }
      }),
      ...outcomes.map(async ({ task, result }) => {
        if (result && !isAccepted(result)) return;
        // What the create has made before it was cut off, if anything.
        const made = result ?? (await askUntilBack(context, task.query));
        const again = await askUntilBack(context, task.create, task.query);
        const found = await pollAfterRestart(context, task.query, isAccepted);
        const first = [made, again, found].find(isAccepted);
        // The creates differ in what they say, and a target may take some of that from nobody.
        if (!first && field(again, 'code') === errorCode(records.area, 'INVALID_PARAMETER')) return;
        const platformId = first && field(first, records.id);
        if (task === creations[0] && repeat && isAccepted(repeat)) {
          const expected = 'the answer to a create that was sent twice before the restart';
          expectRecord(again, records, platformId, expected, 'general.restart.repeat');
        }
        if (isAccepted(again)) expectRecord(again, records, platformId, 'the answer to the create sent again');
        if (result && isAccepted(again)) expectAsShown(again, records, result);
        expectRecord(found, records, platformId, 'after the create was sent again');
        const third = await askUntilBack(context, task.create, task.query);
        if (isAccepted(third)) expectRecord(third, records, platformId, 'the answer to the create sent a third time');
      }),
    ]);
  },
});

/** What was acknowledged is there after the restart, and what is sent again makes no second one. */
export const createChecks: readonly CheckDeclaration[] = [
  ...Object.values(recordsOf).map(acknowledged),
  ...[recordsOf.checkout, recordsOf.refunds].map(sentAgain),
];
