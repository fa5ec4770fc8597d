import type { ContractOperation } from '../../contract/operations.ts';
import { decisive } from '../exchange-text.ts';
import { type Asked, authenticationFailures, type Call, doing, fewestCalls, getsAnswerThat } from './calls.ts';
import { isFinding } from './cause.ts';
import { gist } from './gist.ts';
import { everyRequest, type Named } from './named.ts';

/** For each operation that is never answered as it should be, the cause; for all of them one cause if their answers are of one kind. */
export function stuckOperations(asked: readonly Asked[]): ReadonlyMap<string, Named> {
  const everyCall = asked.flatMap(({ calls }) => calls);
  const names = [...new Set(everyCall.map(({ operation }) => operation.name))];
  const all = names.length > 1 ? sameTreatment(asked, () => true) : undefined;
  if (all !== undefined) {
    const text = all.every
      ? `every request ${all.treatment}`
      : `no request is accepted, and ${all.isMost ? 'most' : 'many'} ${ofSeveral(all.treatment)}`;
    return new Map(names.map((name) => [name, { key: everyRequest, text, onTheWay: true }]));
  }
  return new Map(
    names.flatMap((name) => {
      const one = sameTreatment(asked, ({ operation }) => operation.name === name);
      const operation = everyCall.find((call) => call.operation.name === name)?.operation;
      if (!one || !operation) return [];
      const text = one.every
        ? `${doing(operation)} ${one.treatment}`
        : `${doing(operation)} is never accepted, but ${one.isMost ? 'mostly' : 'often'} ${one.treatment.replace(/^is /, '')}`;
      return [
        [
          name,
          {
            key: name,
            text,
            area: operation.area,
            onTheWay: authenticationFailures.some((each) => one.treatment.includes(each)),
          },
        ],
      ];
    }),
  );
}

/**
 * The cause of a check that called such an operation: the one whose call shows the fault, or else the first that it called. A fault that shows
 * in a call of another operation has its own cause.
 */
export function stuckCause({ check, calls }: Asked, stuck: ReadonlyMap<string, Named>): Named | undefined {
  const shown = decisive(check);
  const decisiveCall = calls.find(({ exchange }) => exchange === shown);
  if (decisiveCall && !stuck.has(decisiveCall.operation.name)) return undefined;
  const first = decisiveCall ?? calls.find(({ operation }) => stuck.has(operation.name));
  return first && stuck.get(first.operation.name);
}

/** How calls are treated. */
interface Treatment {
  /** No call is treated differently. */
  every: boolean;
  /** More than half of them are treated so. */
  isMost: boolean;
  /** What becomes of such a call, as the rest of a sentence. */
  treatment: string;
}

/**
 * How these calls are treated, if it is the same whatever they ask for: all are refused or answered with something else than the contract
 * declares, or all get the same body. `undefined`: there is no such treatment, or most checks that make such calls pass.
 */
function sameTreatment(asked: readonly Asked[], isMeant: (call: Call) => boolean): Treatment | undefined {
  const asking = asked.filter(({ calls }) => calls.some(isMeant));
  const calls = asking.flatMap((each) => each.calls.filter(isMeant));
  const findings = asking.filter(({ check }) => isFinding(check)).length;
  const [first] = calls;
  if (!first || calls.length < fewestCalls || findings * 2 < asking.length) return undefined;
  if (calls.every(({ accepted }) => !accepted)) {
    const unread = calls.filter(({ fault }) => fault);
    // Answers that cannot be read may be successes. Beside them come the refusals that other checks provoke.
    const telling = unread.length * 4 >= calls.length ? unread : calls;
    const answer = mostCommon(telling.map((call) => call.answer)) ?? '';
    const example = telling.find((call) => call.answer === answer);
    const every = answersByArea(calls);
    const isMost = calls.filter((call) => call.answer === answer).length * 2 > calls.length;
    if (example?.fault) return { every: every === answer, isMost, treatment: getsAnswerThat(example.fault.words) };
    const what = example?.exchange.response ? `: ${gist(example.exchange.response)}` : '';
    // Of several codes the most common one stands for the others.
    return { every: every !== undefined, isMost: true, treatment: `${every ?? answer}${what}` };
  }
  const bodies = new Set(calls.map(({ exchange }) => exchange.response?.body));
  if (bodies.size > 1 || !calls.some(({ operation }) => asksForItsOwn(operation))) return undefined;
  const { response } = first.exchange;
  return {
    every: true,
    isMost: true,
    treatment: `gets the same answer, whatever is asked for: ${response ? gist(response) : ''}`,
  };
}

/** What becomes of several requests, from the words for one. */
const ofSeveral = (treatment: string): string => treatment.replace(/^is /, 'are ').replace(/^gets /, 'get ');

/** The answers of calls, of which each area has its own words for one. `undefined`: an area answers in several ways. */
function answersByArea(calls: readonly Call[]): string | undefined {
  const answers = new Map<string, string>();
  for (const { operation, answer } of calls) {
    if ((answers.get(operation.area) ?? answer) !== answer) return undefined;
    answers.set(operation.area, answer);
  }
  return [...new Set(answers.values())].join(' or ').replaceAll(' or is ', ' or ');
}

/** True for an operation whose answer repeats something of the request, so that two requests get two answers. */
const asksForItsOwn = ({ bodySchema, path }: ContractOperation) => bodySchema !== undefined || /\{.*\{/.test(path);

function mostCommon(values: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0];
}
