import { type Level, openPoints, requirements } from '../../generated/catalogue.ts';
import { contract } from '../../generated/contract.ts';
import type { Check } from '../check/check.ts';
import type { Need } from '../check/needs.ts';
import type { SeenTransition } from '../check/records.ts';
import { type SuiteVersion, sinceOf } from '../checks/check-ids.ts';
import { atPointer } from '../contract/json.ts';
import { cut } from '../contract/show.ts';
import { redactor } from '../text/redact.ts';
import type { Exchange } from '../wire/exchange.ts';
import { type Scope, scopeOf } from './scope.ts';
import { type News, newsOf } from './suite-version.ts';
import { type ByItself, type CheckResult, outcomeOf, type Pins, type Verdict, worst } from './verdict.ts';
import { version } from './version.ts';

/** The report of a run. `report.schema.json` describes its JSON form. */
export interface Report {
  schemaVersion: 1;
  /** `judgedAs`: the older version of the suite by which the run is judged. */
  suite: { name: 'assay'; version: string; contractVersion: string; judgedAs?: SuiteVersion };
  target: string;
  seed: number;
  /** ISO 8601, UTC. */
  startedAt: string;
  durationMs: number;
  outcome: 'conformant' | 'non-conformant' | 'incomplete';
  /** How much of the contract was judged, and what was left out on purpose. */
  scope: Scope;
  summary: Record<Verdict, number>;
  /** How many bodies of the target were too long to be judged whole. Absent: none. */
  cutBodies?: number;
  /** Why the run ended before its last check, and the ids of the checks that did not run. Absent: all ran. */
  stopped?: { reason: string; notRun: string[] };
  /** What the requests show in the course of the run and none of them by itself, in words. Absent: nothing, or the run is conformant. */
  signs?: string[];
  /** What about the target made the run slow, in words. Absent: nothing. */
  slowness?: string;
  checks: CheckReport[];
  requirements: { id: string; level: Level; text: string; verdict: Verdict; checks: string[] }[];
  openPoints: {
    id: string;
    question: string;
    observed: { check: string; seen: string; value: string | null }[];
    pinned: string | null;
  }[];
  /** The cells of the state grids that checks looked at, each with its check. */
  transitions: ({ check: string } & SeenTransition)[];
  /** The settings of the run, without secrets. */
  configuration: Record<string, unknown>;
}

/** One check in the report. A value that does not apply is `null`. */
export interface CheckReport {
  id: string;
  title: string;
  area: string;
  level: Level;
  /** The version of the suite that the check came with. Absent in the reports of suite 0.1. */
  since?: SuiteVersion;
  /** Set for a check that is too new to count: its level, and its verdict if it counted. */
  news?: News;
  requirements: string[];
  verdict: Verdict;
  reason: string | null;
  message: string | null;
  expected: string | null;
  actual: string | null;
  /** The broken requirement. Of an inconclusive check: the one that the answer breaks at which it stopped. */
  brokenRequirement: string | null;
  /** The number of the exchange that shows the fault, counted from 1. */
  decisiveExchange: number | null;
  /** Of a failed check that passed when it was run once more by itself: how. */
  byItself?: ByItself;
  /** Set for a failure that the baseline covers. */
  baseline?: { reason: string; until?: string };
  durationMs: number;
  exchanges: Exchange[];
}

/** The facts of a run that its report needs beside the results. */
export interface RunFacts {
  target: string;
  seed: number;
  startedAt: Date;
  durationMs: number;
  /** True when every check was selected and ran to its end. */
  complete: boolean;
  pins: Pins;
  /** The version of the suite by which the run is judged. Absent: this one. */
  suite?: SuiteVersion | undefined;
  /** The areas that the target has. Absent: all. */
  areas?: readonly string[] | undefined;
  /** Needs that the configuration leaves out. Absent: none. */
  without?: readonly Need[] | undefined;
  /** How many bodies of its history are kept in part. Absent: none. */
  cutBodies?: number;
  /** Why the run ended before its last check, and the checks that did not run. Absent: all ran. */
  stopped?: { reason: string; notRun: readonly Check[] } | undefined;
  /** Tells what the requests of the run show together, in words. Not asked of a conformant run, since it takes a while. Absent: they show nothing. */
  signs?: () => readonly string[];
  /** What about the target made the run slow, in words. Absent: nothing. */
  slowness?: string | undefined;
  /** A signal ended the run, so that its outcome is incomplete whatever was found. */
  interrupted?: boolean | undefined;
  configuration: Record<string, unknown>;
  secrets: Iterable<string>;
}

const verdicts: readonly Verdict[] = ['passed', 'failed', 'warned', 'observed', 'skipped', 'inconclusive'];

/** Fields of a report that hold the runner's own words and the contract's. */
const ownFields: ReadonlySet<string> = new Set([
  ...[
    'suite',
    'startedAt',
    'outcome',
    'scope',
    'id',
    'title',
    'area',
    'level',
    'since',
    'requirements',
    'verdict',
    'brokenRequirement',
    'byItself',
  ],
  ...['question', 'check', 'value', 'pinned', 'machine', 'from', 'event', 'notRun', 'method', 'requirement'],
]);

/** Builds the report of a run. Nothing in it holds a secret. */
export function buildReport(results: readonly CheckResult[], facts: RunFacts): Report {
  const hidden = redactor(facts.secrets, ownFields);
  const outcome = facts.interrupted ? 'incomplete' : outcomeOf(results, facts.complete);
  const signs = outcome === 'conformant' ? [] : (facts.signs?.() ?? []);
  const run: Omit<Report, 'checks' | 'requirements' | 'openPoints' | 'transitions' | 'configuration'> = {
    schemaVersion: 1,
    suite: {
      name: 'assay',
      version,
      contractVersion: String(atPointer(contract, '/info/version')),
      ...(facts.suite && { judgedAs: facts.suite }),
    },
    target: facts.target,
    seed: facts.seed,
    startedAt: facts.startedAt.toISOString(),
    durationMs: facts.durationMs,
    outcome,
    scope: scopeOf(results, { ...facts, notRun: facts.stopped?.notRun }),
    summary: countVerdicts(results),
    ...(facts.cutBodies && { cutBodies: facts.cutBodies }),
    ...(facts.stopped && {
      stopped: { reason: facts.stopped.reason, notRun: facts.stopped.notRun.map(({ id }) => id) },
    }),
    ...(signs.length > 0 && { signs: [...signs] }),
    ...(facts.slowness !== undefined && { slowness: facts.slowness }),
  };
  const seen: Pick<Report, 'requirements' | 'openPoints' | 'transitions' | 'configuration'> = {
    requirements: requirementReports(results),
    openPoints: openPointReports(results, facts.pins),
    transitions: results.flatMap(({ check, transitions }) =>
      transitions.map((transition) => ({ check: check.id, ...transition })),
    ),
    configuration: facts.configuration,
  };
  return { ...hidden(run), checks: results.map((result) => checkReport(result, hidden)), ...hidden(seen) };
}

/** How many checks have each verdict. */
export function countVerdicts(results: readonly { verdict: Verdict }[]): Record<Verdict, number> {
  const count = (verdict: Verdict) => results.filter((result) => result.verdict === verdict).length;
  return Object.fromEntries(verdicts.map((verdict) => [verdict, count(verdict)])) as Record<Verdict, number>;
}

function checkReport(whole: CheckResult, hidden: <Value>(value: Value) => Value): CheckReport {
  const { check, ...result } = whole;
  const news = newsOf(whole);
  let exchanges: Exchange[] | undefined;
  const report: Omit<CheckReport, 'exchanges'> = {
    id: check.id,
    title: check.title,
    area: check.area,
    level: check.level,
    since: sinceOf(check.id),
    ...(news && { news }),
    requirements: [...check.requirements],
    verdict: result.verdict,
    reason: result.reason ?? null,
    message: result.message ?? null,
    expected: result.expected ?? null,
    actual: result.actual ?? null,
    brokenRequirement: result.requirement ?? null,
    decisiveExchange: result.exchange ?? null,
    ...(result.byItself && { byItself: result.byItself }),
    ...(result.baseline && { baseline: result.baseline }),
    durationMs: result.durationMs,
  };
  return {
    ...hidden(report),
    // Thousands of exchanges take long to go through, and most readers ask for those of few checks. Bodies are cut after redaction,
    // because half a secret would not be recognised.
    get exchanges() {
      exchanges ??= hidden(result.exchanges).map(cutExchange);
      return exchanges;
    },
  };
}

/** Every requirement with its checks. Its verdict is the worst verdict of its checks. */
function requirementReports(results: readonly CheckResult[]): Report['requirements'] {
  return requirements.map(({ id, level, text }) => {
    const judged = results.filter(({ check }) => check.requirements.includes(id));
    return {
      id,
      level,
      text,
      verdict: worst(judged.map(({ verdict }) => verdict)),
      checks: judged.map(({ check }) => check.id),
    };
  });
}

function openPointReports(results: readonly CheckResult[], pins: Pins): Report['openPoints'] {
  return openPoints.map(({ id, question }) => ({
    id,
    question,
    observed: results.flatMap(({ check, observations }) =>
      observations
        .filter(({ openPoint }) => openPoint === id)
        .map(({ seen, value }) => ({ check: check.id, seen, value: value ?? null })),
    ),
    pinned: pins[id] ?? null,
  }));
}

/** The longest body in a report, in characters. A longer one is cut. */
const longestBody = 4096;

function cutExchange({ request, response, ...rest }: Exchange): Exchange {
  return {
    request: { ...request, body: cut(request.body, longestBody) },
    ...(response && { response: { ...response, body: cut(response.body, longestBody) } }),
    ...rest,
  };
}
