import type { CheckReport } from '../../run/report.ts';
import { merchantLost } from '../../text/reasons.ts';
import { gatewayAnswered } from '../../wire/interruptions.ts';
import { brokenSentence } from '../broken-sentence.ts';
import { type Asked, authenticationFailures, type Call, codeOf, doing } from './calls.ts';
import type { Named } from './named.ts';

/** The cause of a check that has nothing to do with what other checks saw: the sentence that is broken, or the step at which it stopped. */
export function ownCause({ check, calls }: Asked): Named {
  const sentence = sentenceCause(check);
  if (sentence) return sentence;
  if (check.verdict === 'inconclusive') return failedStep(check, calls);
  const text = check.message ?? check.title;
  return { key: text, text };
}

/** The cause that a sentence of the contract is broken. `undefined`: there is no such sentence. */
export function sentenceCause(broken: Pick<CheckReport, 'brokenRequirement'>): Named | undefined {
  const sentence = brokenSentence(broken);
  return (
    sentence && { key: sentence.id, text: `${sentence.id}: ${sentence.text}`, area: sentence.id.replace(/\..*/s, '') }
  );
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
  // One pattern for words with a digit would take as long as the square of a long word that has none.
  return { key: text.replace(/\S+/g, (word) => (/\d/.test(word) ? '…' : word)), text };
}
