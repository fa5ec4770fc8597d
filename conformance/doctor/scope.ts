import { isOptional, needNames } from '../check/needs.ts';
import { missingArea, unmetNeeds } from '../check/unmet-needs.ts';
import { declaration, scopeAreas, scopeOf } from '../run/scope.ts';
import { lackingAreas } from './areas.ts';
import { fatal, note, type Step, well, wrong } from './step.ts';

/** Says which needs of checks this target does not meet, and the line that leaves them out of a run's scope. */
export const scopeStep: Step = {
  name: 'scope',
  whenThrown: 'wrong',
  look: async ({ session }) => {
    if (!session) throw new Error('the steps before this one open the session');
    const lacking = await lackingAreas(session);
    const left = scopeAreas.filter(
      (area) => missingArea([area], session) === undefined && !lacking.some((each) => each.area === area),
    );
    if (lacking.length > 0) {
      const statuses = [...new Set(lacking.map(({ status }) => `HTTP ${status}`))].join(' and ');
      return wrong(
        `signed queries of ${lacking.map(({ area }) => area).join(' and ')} are answered with ${statuses} and no code of the contract`,
        `if the target does not have ${lacking.length > 1 ? 'these areas' : 'this area'}, say so in the configuration with the line areas: [${left.join(', ')}]; else have it answer there`,
      );
    }
    const required = needNames.filter((need) => !isOptional(need));
    const unmet = required.flatMap((need) => unmetNeeds([need], session) ?? []);
    const undeclared = unmet.flatMap(({ leftOut, needs }) => (leftOut ? [] : needs));
    const line = declaration({ ...scopeOf([], session), undeclared });
    if (unmet.some(({ needs }) => needs.length === 0)) return fatal(unmet[0]?.reason ?? 'there is no merchant');
    if (line === undefined) {
      return well(
        unmet.length === 0
          ? 'everything that a check can need is there'
          : `left out on purpose: ${session.without?.join(', ')}`,
      );
    }
    return note(
      `a run would be incomplete: ${unmet.map(({ reason }) => reason).join('; ')}`,
      `provide it, or leave it out on purpose in the configuration with the line ${line}`,
    );
  },
};
