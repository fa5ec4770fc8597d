// What the package offers to programs. Everything else in it may change from version to version.

export type { BaselineEntry } from './baseline.ts';
export type { Check } from './check.ts';
export { allChecks } from './checks/index.ts';
export type {
  Credentials,
  Driver,
  MerchantSettings,
  OrderStep,
  RefundStep,
  StepOutcome,
} from './drivers/driver.ts';
export { Unreachable, UsageError } from './errors.ts';
export type { Answer, Exchange } from './exchange.ts';
export type { Limits } from './limits.ts';
export { Inconclusive } from './outcomes.ts';
export { jsonReport } from './reporters/json.ts';
export { junitReport } from './reporters/junit.ts';
export { markdownReport } from './reporters/markdown.ts';
export { htmlReport } from './reporters/page/page.ts';
export type { CheckReport, Report } from './reporters/report.ts';
export { textSummary } from './reporters/text.ts';
export { type ConformanceResult, type ConformanceRun, runConformance } from './run-conformance.ts';
export type { RawRequest, Transport } from './transport.ts';
export type { CheckResult, Verdict } from './verdict.ts';
