import { setTimeout as delay } from 'node:timers/promises';
import type { CheckContext } from '../../check/context.ts';
import type { Answer } from '../../wire/exchange.ts';
import { startingLineFor } from '../../wire/starting-line.ts';
import type { SignedRequest } from '../requests/signed-client.ts';

/** How far apart two things that race may begin, in milliseconds: about as long as an ordinary request takes. */
const farthest = 25;

/** How many rounds a race has. A gap of microseconds is met in one of a few only; where offsets are chosen, each round has its own. */
export const usualRounds = 6;

/**
 * Holds the rounds of a race one after the other, so that the requests of each really meet: connections are few where a run is careful. Each
 * round is told how many were held before it.
 */
export async function everyRound(round: (held: number) => Promise<unknown>): Promise<void> {
  for (let held = 0; held < usualRounds; held += 1) await round(held);
}

/** What a request says that starts together with others. */
export type Start = Required<Pick<SignedRequest, 'racing' | 'startingLine'>>;

/** Lets requests with a body reach the target at the same moment, closer together than `racing` can bring them. Answers stand in the order of the requests. */
export function atTheSameMoment(requests: readonly ((start: Start) => Promise<Answer>)[]): Promise<Answer[]> {
  const startingLine = startingLineFor(requests.length);
  return Promise.all(requests.map((send) => send({ racing: true, startingLine })));
}

/** Begins `work` a little later, by an offset that the seed chooses. Small ones are the most frequent, because most gaps of a server are short. */
export async function soonAfter<Result>(context: CheckContext, work: () => Promise<Result>): Promise<Result> {
  await delay(Math.floor(context.random() ** 3 * farthest));
  return work();
}

/**
 * Lets things happen at nearly the same moment, and asks again and again until all of them are over, and once more then. The answers are
 * in the order in which they were asked for, each one after the one before had come. With `isAtOnce` nothing lies between the starts, so that
 * steps meet in a server that looks and acts within less than a millisecond.
 */
export async function racing(
  context: CheckContext,
  racers: readonly (() => Promise<unknown>)[],
  ask: () => Promise<Answer>,
  isAtOnce = false,
): Promise<Answer[]> {
  let isOver = false;
  const start = (racer: () => Promise<unknown>) => (isAtOnce ? racer() : soonAfter(context, racer));
  const race = Promise.allSettled(racers.map(start)).then((results) => {
    isOver = true;
    return results;
  });
  const answers: Answer[] = [];
  while (!isOver) {
    answers.push(await ask());
    await delay(2);
  }
  const failure = (await race).find((result) => result.status === 'rejected');
  if (failure) throw failure.reason;
  return [...answers, await ask()];
}

/** Every other round of steps has them start at once. */
export const isAtOnce = (held: number): boolean => held % 2 === 1;
