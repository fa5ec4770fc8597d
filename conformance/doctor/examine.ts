import { Inconclusive } from '../errors/outcomes.ts';
import { Unreachable, UsageError } from '../errors/usage-errors.ts';
import type { SessionOptions } from '../run/session.ts';
import { printable } from '../text/printable.ts';
import { redact } from '../text/redact.ts';
import { LimitReached } from '../wire/limits.ts';
import { addressStep, clockStep, connectionStep } from './connection.ts';
import { driverStep, signedRequestStep, webhookStep } from './merchant.ts';
import { scopeStep } from './scope.ts';
import { type Finding, note, type Patient, type Step } from './step.ts';

/** The steps in their order. Each step relies on those before it. */
const steps: readonly Step[] = [
  addressStep,
  connectionStep,
  clockStep,
  driverStep,
  signedRequestStep,
  webhookStep,
  scopeStep,
];

/**
 * Examines a target in the way in which a run would use it. `onFinding` is called after each step. After a fatal finding the
 * other steps are not taken, and `onFinding` gets `undefined` for them. Resolves with the worst state that was found.
 */
export async function examine(
  options: SessionOptions,
  onFinding: (name: string, finding: Finding | undefined) => void,
): Promise<Finding['state']> {
  const patient: Patient = { options };
  const states: Finding['state'][] = [];
  try {
    for (const step of steps) {
      if (states.includes('fatal')) {
        onFinding(step.name, undefined);
        continue;
      }
      const finding = await take(step, patient);
      states.push(finding.state);
      const shown = redact(finding, patient.session?.secrets ?? []);
      onFinding(step.name, { ...shown, found: printable(shown.found) });
    }
  } finally {
    await patient.session?.close();
  }
  return (['fatal', 'wrong', 'note'] as const).find((state) => states.includes(state)) ?? 'well';
}

async function take(step: Step, patient: Patient): Promise<Finding> {
  try {
    return await step.look(patient);
  } catch (error) {
    if (error instanceof LimitReached) return note(`not tried to its end: ${error.message}`);
    if (error instanceof Inconclusive || error instanceof Unreachable || error instanceof UsageError) {
      return { state: step.whenThrown, found: error.message, cure: step.cureWhenThrown };
    }
    throw error;
  }
}
