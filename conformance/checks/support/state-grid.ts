import type { Machine, Transition } from '../../../generated/catalogue.ts';
import type { RequirementId } from '../../../generated/catalogue-ids.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectSchema, expectThat, expectUnchanged, isAccepted, statusOf, summary } from '../../check/expect.ts';
import { keysOf } from '../../check/keys-of.ts';
import type { Need } from '../../check/needs.ts';
import type { SeenTransition } from '../../check/records.ts';
import { show } from '../../contract/show.ts';
import type { StepOutcome } from '../../drivers/driver.ts';
import type { Answer } from '../../wire/exchange.ts';

/** A move with the state that it starts from. */
type Move<State extends string, Event extends string> = Transition<State, Event> & { from: State };

/** A state machine of the contract, and how a check makes a record of it and moves the record. */
export interface GridSubject<State extends string, Event extends string, Made extends { query(): Promise<Answer> }> {
  readonly machine: SeenTransition['machine'];
  /** The record with its article, for titles: `an order`. */
  readonly noun: string;
  readonly table: Machine<State, Event>;
  /** The beginning of the ids of its checks. */
  readonly idPrefix: string;
  needs(from: State, event: Event): readonly Need[];
  /**
   * Makes a record in a state. `next`: the event that is to follow, and the amount paid, where the move depends on it. The
   * record may be of a merchant of its own.
   */
  make(
    context: CheckContext,
    state: State,
    next?: { event: Event; when?: Transition<State, Event>['when'] },
  ): Promise<Made>;
  /** Lets an event happen to it, through the driver or by letting time pass. */
  happen(context: CheckContext, made: Made, event: Event): Promise<StepOutcome>;
  /** The schema of a query's answer, which says which fields belong to each state. */
  readonly answer: string;
  /** Fields of the view that an event without a move leaves as they are. */
  readonly lasting: readonly string[];
  /** The value at the machine's open point that a free move shows; `undefined`: none. `done`: the driver has not refused the event. */
  choiceOf?(move: { from: State; event: Event; seen: string; done: boolean }): string | undefined;
}

/** A cell of a grid: a state and an event, with the state `to` which the contract's table leads. */
interface Cell<State, Event> {
  from: State;
  event: Event;
  to: State;
}

const slug = (text: string) => text.toLowerCase().replaceAll('_', '-');
const seenStatus = (answer: Answer) => show(statusOf(answer));

/**
 * A check for each cell of the grid of states and events, made from the contract's table; a final state has one for all
 * events. Cells that the contract leaves free are observed.
 */
export function stateGridChecks<State extends string, Event extends string, Made extends { query(): Promise<Answer> }>(
  subject: GridSubject<State, Event, Made>,
): CheckDeclaration[] {
  const { machine, noun, table, idPrefix, needs } = subject;
  const { final, noOtherMoves, free, openPoint } = table;
  const moves = table.transitions.filter((move): move is Move<State, Event> => move.from !== null);
  const states = keysOf(table.states).filter((state) => !Object.hasOwn(table.unreachable, state));
  const isFinal = (state: State) => table.states[state].final;
  const finalStates: readonly string[] = keysOf(table.states).filter(isFinal);
  const has = (from: State, event: Event) => moves.some((move) => move.from === from && move.event === event);

  /** The requirement of a cell: the move's own, or else the one that leaves the move free. A free cell is only observed. */
  function ruleOf(requirement: RequirementId | undefined): { rule: RequirementId; isFree: boolean } {
    if (requirement) return { rule: requirement, isFree: false };
    if (!free || !openPoint) throw new Error(`${machine}: a move has no requirement, and none leaves it free`);
    return { rule: free, isFree: true };
  }

  /** Records the status that a cell showed. */
  function saw(
    context: CheckContext,
    { from, event, to }: Cell<State, Event>,
    answer: Answer,
    isFree: boolean,
    done = true,
  ): void {
    const seen = seenStatus(answer);
    context.sawTransition({ machine, from, event, expected: to, seen, ...(isFree && { free: true }) });
    if (!isFree || !openPoint) return;
    context.observeIn(answer, openPoint, `${from}, ${event}: ${seen}`, subject.choiceOf?.({ from, event, seen, done }));
  }

  /** A check of a move of the table: the record makes it, and the view agrees. */
  function legalMove(move: Move<State, Event>): CheckDeclaration {
    const { from, event, to, when, condition, requirement } = move;
    const { rule, isFree } = ruleOf(requirement);
    const suffix = when ? [slug(when.replace(/[A-Z]/g, '-$&'))] : [];
    return {
      id: [idPrefix, slug(from), slug(event), ...suffix].join('.'),
      title: `${event} moves ${noun} from ${from} to ${to}${condition ? ` (${condition})` : ''}`,
      requirements: [rule],
      needs: needs(from, event),
      ...(event === 'expired' && { long: true }),
      async run(context) {
        const made = await subject.make(context, from, { event, ...(when && { when }) });
        const outcome = await subject.happen(context, made, event);
        // A state that the record never leaves is no longer waited in; where the move is free, neither is any other new one.
        const settled = (each: Answer) => {
          const seen = seenStatus(each);
          return !outcome.done || seen === to || finalStates.includes(seen) || (isFree && seen !== from);
        };
        const answer = await context.poll(made.query, settled);
        saw(context, move, answer, isFree, outcome.done);
        if (isFree) return;
        const seen = seenStatus(answer);
        const refused = outcome.done ? '' : ` (the driver refused ${event}: ${outcome.message})`;
        const shown = isAccepted(answer) ? `data.status = ${seen}` : summary(answer);
        expectThat(seen === to, answer, { expected: `data.status = ${to}`, actual: `${shown}${refused}` });
        expectSchema(answer, subject.answer);
      },
    };
  }

  /** Lets an event happen that the table has no move for. Fails unless the record stays as it was. */
  async function expectUnmoved(context: CheckContext, made: Made, before: Answer, cell: Cell<State, Event>) {
    await subject.happen(context, made, cell.event);
    const after = await made.query();
    saw(context, cell, after, false);
    expectUnchanged(before, after, ['status', ...subject.lasting], cell.event);
  }

  /** A check of an event that a state has no move for, where the state is not final. */
  function noMove(from: State, event: Event): CheckDeclaration {
    const { rule, isFree } = ruleOf(noOtherMoves);
    return {
      id: [idPrefix, slug(from), slug(event)].join('.'),
      title: `${event} leaves ${noun} in ${from} as it is`,
      requirements: [rule],
      needs: needs(from, event),
      async run(context) {
        const made = await subject.make(context, from);
        const cell = { from, event, to: from };
        if (!isFree) return expectUnmoved(context, made, await made.query(), cell);
        const { done } = await subject.happen(context, made, event);
        saw(context, cell, await made.query(), true, done);
      },
    };
  }

  /** A check of a final state under every event. */
  function finalState(state: State): CheckDeclaration {
    const required = table.events.flatMap((event) => needs(state, event));
    return {
      id: `${idPrefix}.${slug(state)}-is-final`,
      title: `${noun.charAt(0).toUpperCase()}${noun.slice(1)} that is ${state} never moves again`,
      requirements: [final, ...(noOtherMoves ? [noOtherMoves] : [])],
      needs: [...new Set(required)],
      async run(context) {
        const made = await subject.make(context, state);
        const before = await made.query();
        for (const event of table.events) {
          await expectUnmoved(context, made, before, { from: state, event, to: state });
        }
      },
    };
  }

  return [
    ...moves.map(legalMove),
    ...states
      .filter((state) => !isFinal(state))
      .flatMap((state) => table.events.filter((event) => !has(state, event)).map((event) => noMove(state, event))),
    ...states.filter(isFinal).map(finalState),
  ];
}
