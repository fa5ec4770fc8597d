import type { Session } from '../check/session.ts';
import { missingArea } from '../check/unmet-needs.ts';
import { isNamedCode } from '../contract/error-codes.ts';
import type { OperationArea } from '../contract/operations.ts';
import { isOutcome } from '../errors/outcomes.ts';
import { UsageError } from '../errors/usage-errors.ts';
import { type Answer, field } from '../wire/exchange.ts';
import { addressThatAnswers, ask, contextOf, type Question, questions } from './questions.ts';

/** The statuses with which a server says that it does not have an operation. */
const statusesWithoutOperation: readonly number[] = [404, 405, 501];

/** An area that a target does not have, and the status with which it says so. */
export interface MissingArea {
  area: OperationArea;
  status: number;
}

/**
 * Finds out which areas a target lacks, by a signed query in each that has operations. An area counts as missing only if the answer has
 * one of three statuses and no code of the contract. Throws `UsageError` when the API answers at an address with a shorter path.
 */
export async function missingAreas(session: Session): Promise<MissingArea[]> {
  const asked = await askedEach(session);
  if (!asked.some(({ question, answer }) => answer && field(answer, 'code') === question.code)) {
    const address = await answerTo(() => addressThatAnswers(session, questions[0]));
    if (address !== undefined) {
      throw new UsageError(
        `--target: the API does not answer at ${session.target}; make ${address} the target: the API answers there`,
      );
    }
  }
  return asked.flatMap(missingOf);
}

/** The same for the areas that the target has by its configuration, wherever the API answers. */
export async function lackingAreas(session: Session): Promise<MissingArea[]> {
  const asked = await askedEach(session);
  return asked.filter(({ question: { area } }) => missingArea([area], session) === undefined).flatMap(missingOf);
}

/** A question with its answer. `undefined`: there was none to judge. */
interface Asked {
  question: Question;
  answer: Answer | undefined;
}

const askedEach = (session: Session): Promise<Asked[]> =>
  Promise.all(
    questions.map(async (question) => ({ question, answer: await answerTo(() => ask(contextOf(session), question)) })),
  );

const missingOf = ({ question: { area }, answer }: Asked): MissingArea[] =>
  answer && isWithoutOperation(answer) ? [{ area, status: answer.status }] : [];

/** True for an answer by which a server says that it does not have an operation. */
export function isWithoutOperation(answer: Answer): boolean {
  return statusesWithoutOperation.includes(answer.status) && !isNamedCode(String(field(answer, 'code')));
}

/** The result of a question. `undefined`: there was no answer to judge, such as that of a gateway. */
async function answerTo<Result>(question: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await question();
  } catch (error) {
    if (isOutcome(error)) return undefined;
    throw error;
  }
}
