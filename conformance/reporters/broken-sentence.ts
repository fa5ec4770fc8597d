import { requirements } from '../../generated/catalogue.ts';
import type { CheckReport } from '../run/report.ts';

/** The sentence of the contract that a check found broken, with its file. `undefined`: the check broke no sentence. */
export function brokenSentence({
  brokenRequirement,
}: Pick<CheckReport, 'brokenRequirement'>): { id: string; text: string; file: string | undefined } | undefined {
  const requirement = requirements.find(({ id }) => id === brokenRequirement);
  if (!requirement) return undefined;
  const [place] = requirement.places;
  return { ...requirement, file: place && `openapi/${place.split('#')[0]}` };
}
