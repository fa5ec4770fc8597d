// The public interface of the package. Everything else in it may change from version to version.

export type { Check } from './check/check.ts';
export { allChecks } from './checks/index.ts';
export type {
  Credentials,
  Driver,
  MerchantSettings,
  OrderStep,
  RefundStep,
  StepOutcome,
} from './drivers/driver.ts';
export { Inconclusive } from './errors/outcomes.ts';
export { Unreachable, UsageError } from './errors/usage-errors.ts';
export { jsonReport } from './reporters/json.ts';
export { junitReport } from './reporters/junit.ts';
export { markdownReport } from './reporters/markdown.ts';
export { htmlReport } from './reporters/page/page.ts';
export { textSummary } from './reporters/text.ts';
export type { BaselineEntry } from './run/baseline.ts';
export type { CheckReport, Report } from './run/report.ts';
export { type ConformanceResult, type ConformanceRun, runConformance } from './run/run-conformance.ts';
export type { CheckResult, Verdict } from './run/verdict.ts';
export type { Answer, Exchange } from './wire/exchange.ts';
export type { Limits } from './wire/limits.ts';
export type { RawRequest, Transport } from './wire/transport.ts';
