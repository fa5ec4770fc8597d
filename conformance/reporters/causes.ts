import { type EnvelopeFault, envelopeFault } from '../contract/envelope-faults/envelope-faults.ts';
import { authenticationErrorCodes } from '../contract/error-codes.ts';
import { parseJson, valueAt } from '../contract/json.ts';
import { type ContractOperation, matchOperation, type OperationArea } from '../contract/operations.ts';
import { successCode } from '../contract/success-code.ts';
import type { CheckReport, Report } from '../run/report.ts';
import { stoppedBeforeEnd } from '../run/runner.ts';
import { printable } from '../text/printable.ts';
import { merchantLost } from '../text/reasons.ts';
import { shorten } from '../text/shorten.ts';
import { type Exchange, lateAnswer, redirectIn } from '../wire/exchange.ts';
import { gatewayAnswered } from '../wire/interruptions.ts';
import { runStops } from '../wire/limits.ts';
import { answersNothing } from '../wire/silence.ts';
import { askedBy } from './asked-by.ts';
import { brokenSentence } from './broken-sentence.ts';
import { endedIn } from './ended-target.ts';
import { decisive } from './exchange-text.ts';

/** Findings and checks without a verdict that have something in common. */
export interface Cause {
  /** What they have in common, on one line of printable text. */
  text: string;
  /** All of them, in the order of the report. */
  checks: readonly CheckReport[];
  /** The check that shows the cause with the fewest requests. */
  shownBy: CheckReport;
  /** All requests of the run are treated alike, so that nothing else of the target was seen. */
  everything: boolean;
  /** It concerns the way to the target or back from it, which an examination of the target shows better than a check. */
  onTheWay: boolean;
  /** Two things have one id, so that what other checks find may be about the wrong one of them. */
  confuses: boolean;
  /** The run was stopped, so that the target may have nothing to mend. */
  stopped: boolean;
  /** How many failures the baseline does not cover. */
  failed: number;
  /** How many failures the baseline covers. */
  known: number;
  warned: number;
  /** How many checks have no verdict. */
  waiting: number;
}

/** A request of the merchant API with its answer. */
interface Call {
  exchange: Exchange;
  operation: ContractOperation;
  accepted: boolean;
  /** What became of it, in words that are the same for answers of the same kind, such as `is refused with 90001`. */
  answer: string;
  /** What keeps a reader from the answer. */
  fault?: EnvelopeFault | undefined;
}

/** A check with the calls that it made. */
interface Asked {
  check: CheckReport;
  calls: readonly Call[];
}

/** The text of a cause, and a key that is the same for checks with this cause. */
interface Named {
  key: string;
  text: string;
  /** The area in which it lies. Absent: it may lie in any. */
  area?: string;
  /** See `Cause`. */
  onTheWay?: boolean;
}

/** The checks of one cause. */
interface Group extends Named {
  checks: CheckReport[];
}

/** The key of the cause that all requests have in common. */
const everyRequest = 'every request';

/** The cause of checks that wait for webhooks in a run to which none has come. */
const noWebhook: Named = {
  key: 'no webhook',
  text: 'no webhook has come to any address that was named for one',
  onTheWay: true,
};

/** The key of the cause that the run was stopped, of which the target is not the reason. */
const stopped = 'stopped';

/** What becomes of a request whose authentication fails. That of rightly signed requests is better examined by the doctor. */
const authenticationFailures: readonly string[] = authenticationErrorCodes.map((code) => `is ${refusedWith(code)}`);

/** An operation counts as always answered in one way from this number of calls on. */
const fewestCalls = 5;

/** From this number of checks on that wait in vain, the target counts as one that sends no webhooks. */
const fewestWaiting = 5;

/** How much of an answer a cause shows, in characters. */
const longestGist = 80;

/** The longest text of a cause, in characters. */
const longestText = 160;

/**
 * The failed, warned and inconclusive checks of a report by their causes. The cause that keeps most checks from passing comes first, but for
 * one that makes the other findings doubtful.
 *
 * The cause of a check is the first of these that there is: that the run was stopped; that the target ended; an answer that all requests get, or all requests of one
 * operation; that no webhook has come at all; the step at which it stopped; the requirement that is broken.
 */
export function causesOf(report: Report): Cause[] {
  if (!report.checks.some(isFinding)) return [];
  const asked = report.checks.map((check) => ({ check, calls: callsOf(check, report) }));
  const stuck = stuckOperations(asked);
  const found = asked.filter(({ check }) => isFinding(check));
  const unheard = waitingForWebhooks(report, found);
  const onlyStatuses = onlyStatusOfRefusals(asked);
  const ended = endedIn(report);
  const named = new Map(
    found.map((each) => {
      const waits = unheard.has(each.check) ? noWebhook : undefined;
      const atOnce = silentCause(each.check, report) ?? stoppedCause(each.check) ?? ended(each.check);
      return [
        each.check,
        atOnce ?? stuckCause(each, stuck) ?? waits ?? statusCause(each, onlyStatuses) ?? ownCause(each),
      ];
    }),
  );
  // A step that several checks share is exchanged in one of them, and stops all of them with the same reason.
  const shared = new Map(
    found.filter(({ calls }) => calls.length > 0).map(({ check }) => [check.reason, named.get(check)] as const),
  );
  const groups = new Map<string, Group>();
  for (const { check, calls } of found) {
    const cause = (calls.length === 0 && check.reason !== null && shared.get(check.reason)) || nameOf(check, named);
    const group = groups.get(cause.key) ?? { ...cause, checks: [] };
    groups.set(cause.key, group);
    group.checks.push(check);
  }
  return [...groups.values()].map(causeOf).sort((one, other) => weightOf(other) - weightOf(one));
}

/** The cause to remove first: the first one in the target that keeps a check from passing. `undefined`: nothing does. */
export function fixFirst(causes: readonly Cause[]): Cause | undefined {
  return causes.find(({ failed, waiting, stopped }) => !stopped && failed + waiting > 0);
}

/** The checks of a cause by their verdicts, such as `2 failed, 230 without a verdict`. */
export function countsOf({ failed, known, warned, waiting }: Cause): string {
  const counts = [
    [failed, 'failed'],
    [known, 'failed as known'],
    [waiting, 'without a verdict'],
    [warned, 'warned'],
  ] as const;
  return counts.flatMap(([count, words]) => (count > 0 ? `${count} ${words}` : [])).join(', ');
}

const isFinding = ({ verdict }: CheckReport) => ['failed', 'warned', 'inconclusive'].includes(verdict);

function nameOf(check: CheckReport, named: ReadonlyMap<CheckReport, Named>): Named {
  return named.get(check) ?? { key: check.id, text: check.title };
}

function causeOf({ key, text, area, onTheWay = false, checks }: Group): Cause {
  const count = (wanted: (check: CheckReport) => boolean) => checks.filter(wanted).length;
  return {
    text: shorten(printable(text), longestText),
    checks,
    shownBy: simplestOf(checks, area),
    everything: key === everyRequest,
    onTheWay: onTheWay || checks.every(isRefusedByMistake),
    confuses: checks.some(({ id, verdict, baseline }) => verdict === 'failed' && !baseline && sharesIds(id)),
    stopped: key === stopped,
    failed: count(({ verdict, baseline }) => verdict === 'failed' && !baseline),
    known: count(({ verdict, baseline }) => verdict === 'failed' && baseline !== undefined),
    warned: count(({ verdict }) => verdict === 'warned'),
    waiting: count(({ verdict }) => verdict === 'inconclusive'),
  };
}

/**
 * Whether a check has failed because a request that the contract accepts was refused for its authentication. Most checks of the authentication
 * itself say in which form a request is refused, and show that better than the doctor.
 */
function isRefusedByMistake(check: CheckReport): boolean {
  const exchange = decisive(check);
  return (
    exchange !== undefined &&
    (check.area !== 'auth' || check.id.endsWith('.signed')) &&
    authenticationFailures.includes(answerOf(exchange).answer) &&
    check.expected?.includes(`code = ${successCode}`) === true
  );
}

/**
 * A warning weighs less than anything that keeps a run from passing, and a known failure weighs nothing. That two things have one id weighs
 * most: what other checks find may be about the wrong one of them.
 */
function weightOf({ confuses, failed, waiting, warned }: Cause): number {
  return (confuses ? Number.MAX_SAFE_INTEGER / 2 : 0) + (failed + waiting) * 10_000 + warned;
}

/** Whether a check judges that no two things have one id of the platform. */
const sharesIds = (id: string) => id.endsWith('.identity.platform-id');

/**
 * Of several checks the one to look at: a failure of the requirement that most of them break, with the fewest exchanges. One of another
 * area than the cause comes after those of its own, then one that judges what others exchange, and a random sequence, which takes long, last.
 */
function simplestOf(checks: readonly CheckReport[], area?: string): CheckReport {
  const rank = ({ verdict, baseline }: CheckReport) => (verdict !== 'failed' ? 1 : baseline ? 2 : 0);
  const alike = new Map<string | null, number>();
  for (const { brokenRequirement } of checks) alike.set(brokenRequirement, (alike.get(brokenRequirement) ?? 0) + 1);
  const ranks = new Map(
    checks.map((check) => [
      check,
      [
        rank(check),
        isLong(check),
        Number(area !== undefined && check.area !== area),
        askedBy(check).length,
        -(alike.get(check.brokenRequirement) ?? 0),
        check.exchanges.length,
      ],
    ]),
  );
  const [first] = checks.toSorted((one, other) => compared(ranks.get(one) ?? [], ranks.get(other) ?? []));
  if (!first) throw new Error('a cause has at least one check');
  return first;
}

/** 1 for a check that tries random sequences, else 0. */
const isLong = ({ id }: CheckReport) => Number(id.endsWith('.exploration'));

/** Negative if the first list of numbers comes before the second one, by the first number that differs. */
function compared(one: readonly number[], other: readonly number[]): number {
  const index = one.findIndex((number, place) => number !== other[place]);
  return (one[index] ?? 0) - (other[index] ?? 0);
}

// --- Operations that are always answered in one way ---------------------------------------------------------------------

/** For each operation that is never answered as it should be, the cause; for all of them one cause if their answers are of one kind. */
function stuckOperations(asked: readonly Asked[]): ReadonlyMap<string, Named> {
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

/** What an answer says: where it redirects to, the message of an envelope, the title of a page, or else the beginning of its body. */
function gist({ status, headers, body }: NonNullable<Exchange['response']>): string {
  const redirect = redirectIn({ status, headers });
  if (redirect !== undefined) return shorten(redirect, longestGist);
  const parsed = parseJson(body);
  const message = valueAt(parsed, ['code']) === successCode ? undefined : valueAt(parsed, ['message']);
  if (typeof message === 'string') return shorten(message, longestGist);
  if (/^\s*</.test(body)) return `a page, "${shorten(pageText(body), longestGist)}"`;
  return shorten(body, longestGist) || 'an empty body';
}

/** The title of a page in HTML, or else its text. */
function pageText(page: string): string {
  const title = /<title[^>]*>([^<]+)/i.exec(page)?.[1];
  return (title ?? page.replace(/<[^>]*>/g, ' ')).replace(/\s+/g, ' ').trim();
}

/** True for an operation whose answer repeats something of the request, so that two requests get two answers. */
const asksForItsOwn = ({ bodySchema, path }: ContractOperation) => bodySchema !== undefined || /\{.*\{/.test(path);

function mostCommon(values: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0];
}

/** The cause of a check without a verdict in a run that was stopped because the target answered nothing any more. */
function silentCause({ verdict }: CheckReport, { stopped: stop }: Report): Named | undefined {
  if (verdict !== 'inconclusive' || !stop?.reason.startsWith(answersNothing)) return undefined;
  return { key: everyRequest, text: stop.reason, onTheWay: true };
}

/** The cause of a check that did not end because the run was stopped, or had reached a limit. */
const stoppedCause = ({ reason }: CheckReport): Named | undefined =>
  reason?.startsWith(stoppedBeforeEnd) || reason?.startsWith(runStops) ? { key: stopped, text: reason } : undefined;

/**
 * The cause of a check that called such an operation: the one whose call shows the fault, or else the first that it called. A fault that shows
 * in a call of another operation has its own cause.
 */
function stuckCause({ check, calls }: Asked, stuck: ReadonlyMap<string, Named>): Named | undefined {
  const shown = decisive(check);
  const decisiveCall = calls.find(({ exchange }) => exchange === shown);
  if (decisiveCall && !stuck.has(decisiveCall.operation.name)) return undefined;
  const first = decisiveCall ?? calls.find(({ operation }) => stuck.has(operation.name));
  return first && stuck.get(first.operation.name);
}

/** An operation as an activity, from its title in the contract: `Create a hosted order` is `creating a hosted order`. */
const doing = ({ title }: ContractOperation) =>
  title.replace(/^\w+/, (verb) => `${verb.toLowerCase().replace(/e$/, '')}ing`);

// --- Refusals that all have one HTTP status -----------------------------------------------------------------------------

/** For each area in which refusals with several codes have one HTTP status, this status. */
function onlyStatusOfRefusals(asked: readonly Asked[]): ReadonlyMap<OperationArea, number> {
  const refusals = asked.flatMap(({ calls }) => calls.filter(isRefusedCall));
  const areas = new Set(refusals.map(({ operation }) => operation.area));
  return new Map(
    [...areas].flatMap((area) => {
      const ofArea = refusals.filter(({ operation }) => operation.area === area);
      const statuses = new Set(ofArea.flatMap(({ exchange: { response } }) => response?.status ?? []));
      const codes = new Set(ofArea.map(({ answer }) => answer));
      const [status] = statuses;
      if (status === undefined || statuses.size > 1 || codes.size === 1 || ofArea.length < fewestCalls) return [];
      return [[area, status] as const];
    }),
  );
}

/** A call that was answered with a code other than that of success. */
const isRefusedCall = ({ accepted, answer }: Call): boolean => !accepted && answer.startsWith(`is ${refusedWith('')}`);

/** The names of what the operations of an area are for. */
const thingsOf: Readonly<Record<OperationArea, string>> = {
  orders: 'hosted orders',
  checkout: 'checkout orders',
  refunds: 'refunds',
};

/** The cause of a check that wants another HTTP status of a refusal, where all refusals of its area have the same one. */
function statusCause({ check, calls }: Asked, only: ReadonlyMap<OperationArea, number>): Named | undefined {
  const wanted = /\bHTTP (\d+)/.exec(check.expected ?? '')?.[1];
  if (check.verdict !== 'failed' || wanted === undefined) return undefined;
  const shown = decisive(check);
  const call = calls.find(({ exchange }) => exchange === shown) ?? calls.findLast(isRefusedCall);
  const status = call && isRefusedCall(call) ? only.get(call.operation.area) : undefined;
  if (!call || status === undefined || Number(wanted) === status) return undefined;
  const { area } = call.operation;
  const text = `every refusal by the operations of ${thingsOf[area]} has HTTP ${status}, whatever its code`;
  return { key: text, text };
}

// --- Webhooks that never come -------------------------------------------------------------------------------------------

/** In a run to which no webhook has come, the findings about webhooks before which everything that was asked for was done; none if they are few. */
function waitingForWebhooks({ checks }: Report, found: readonly Asked[]): ReadonlySet<CheckReport> {
  if (checks.some(({ exchanges }) => exchanges.some(isWebhook))) return new Set();
  const waiting = found.filter(({ check, calls }) => {
    const [last, lastCall] = [check.exchanges.at(-1), calls.at(-1)];
    const wasDone = last?.response !== undefined && last.response.status < 300;
    const isToldOf = /webhook/i.test(check.reason ?? check.actual ?? check.message ?? '');
    return check.area === 'webhooks' && isToldOf && wasDone && (lastCall?.exchange !== last || lastCall.accepted);
  });
  return new Set(waiting.length < fewestWaiting ? [] : waiting.map(({ check }) => check));
}

/** True for a request that the run did not send: it names itself in each of its own. */
const isWebhook = ({ request }: Exchange) => !request.headers['User-Agent']?.startsWith('assay (run ');

// --- Causes of single checks --------------------------------------------------------------------------------------------

function ownCause({ check, calls }: Asked): Named {
  const sentence = brokenSentence(check);
  if (check.verdict === 'inconclusive' && !sentence) return failedStep(check, calls);
  if (sentence)
    return { key: sentence.id, text: `${sentence.id}: ${sentence.text}`, area: sentence.id.replace(/\..*/s, '') };
  const text = check.message ?? check.title;
  return { key: text, text };
}

/**
 * The step at which a check stopped: a restart after which the merchant was lost, an answer of a gateway, a call that was not accepted, or else
 * what its reason says, apart from names and numbers.
 */
function failedStep({ reason, exchanges }: CheckReport, calls: readonly Call[]): Named {
  if (reason?.startsWith(merchantLost)) return { key: merchantLost, text: merchantLost };
  if (reason?.startsWith(gatewayAnswered)) {
    const text = `${gatewayAnswered}, in some requests`;
    return { key: text, text };
  }
  const refused = calls.filter(({ accepted }) => !accepted);
  const told = refused.findLast(({ exchange: { response, error } }) => {
    if (error !== undefined) return reason?.includes(error);
    const code = codeOf(response?.body ?? '');
    return code !== undefined && reason?.includes(`code ${code} `);
  });
  const last = refused.at(-1);
  const step = told ?? (last?.exchange === exchanges.at(-1) ? last : undefined);
  if (step) {
    const text = `${doing(step.operation)} ${step.answer}, in some requests`;
    const { area } = step.operation;
    return { key: text, text, area, onTheWay: authenticationFailures.includes(step.answer) };
  }
  const text = reason ?? '';
  return { key: text.replace(/\S*\d\S*/g, '…'), text };
}

// --- Calls and answers --------------------------------------------------------------------------------------------------

function callsOf({ exchanges }: CheckReport, { target }: Report): Call[] {
  return exchanges.flatMap((exchange) => {
    const { method, url } = exchange.request;
    // The end of the run may have come before the answer to a request that its check did not wait for any more.
    const isOpen = exchange.response === undefined && exchange.error === undefined;
    if (isOpen || !url.startsWith(`${target}/`)) return [];
    const path = url.slice(target.length).replace(/\?.*/s, '');
    const operation = matchOperation(method, path)?.operation;
    return operation ? [{ exchange, operation, ...answerOf(exchange) }] : [];
  });
}

function answerOf({ response, error }: Exchange): Pick<Call, 'accepted' | 'answer' | 'fault'> {
  if (!response) {
    const why = (error ?? '').replace(/ *[(;].*/s, '').replace(/\d+/g, '…');
    // For how long it was awaited differs from request to request.
    return {
      accepted: false,
      answer: why.startsWith(lateAnswer) ? 'is not answered in time' : `is not answered (${why})`,
    };
  }
  const code = codeOf(response.body);
  const fault = code === undefined ? envelopeFault({ headers: response.headers, text: response.body }) : undefined;
  if (fault) return { accepted: false, answer: getsAnswerThat(fault.kind), fault };
  if (code === undefined)
    return { accepted: false, answer: `is answered with HTTP ${response.status} and no code of the contract` };
  return { accepted: code === successCode, answer: `is ${refusedWith(code)}` };
}

const getsAnswerThat = (words: string): string => `gets an answer that ${words}`;

function refusedWith(code: string): string {
  return `refused with ${code}`;
}

/** The code of an envelope. A long body is cut in the report, and so it is no JSON any more. */
function codeOf(body: string): string | undefined {
  const isCut = /…(?: \(\d+ characters\))?$/.test(body.slice(-40));
  const code = isCut ? /^\s*\{[^{}]*?"code"\s*:\s*"([^"]*)"/.exec(body)?.[1] : valueAt(parseJson(body), ['code']);
  return typeof code === 'string' ? code : undefined;
}
