import { type Area, type OpenPointId, type Requirement, requirements } from '../../generated/catalogue.ts';
import type { Check } from './check.ts';
import type { Need } from './needs.ts';

/** A check as its file declares it: without what follows from its id and its requirements. */
export interface CheckDeclaration extends Omit<Check, 'area' | 'level' | 'needs'> {
  /** Begins with the area of the check. */
  readonly id: string;
  /** The first one gives the check its level. */
  readonly requirements: Check['requirements'];
  /** Absent: a check of level MAY observes the open point of its first requirement, every other check observes none. */
  readonly openPoint?: OpenPointId;
  /** Absent: none. Every check of webhooks needs `webhook-receiver` too. */
  readonly needs?: readonly Need[];
}

const areas: readonly Area[] = ['general', 'auth', 'orders', 'refunds', 'checkout', 'webhooks'];

const requirementsById = new Map<string, Requirement>(requirements.map((each) => [each.id, each]));

/** The declared checks in full, in the same order. Throws when an id names no area or a check has no requirement. */
export function defineChecks(declarations: readonly CheckDeclaration[]): readonly Check[] {
  return declarations.map(defineCheck);
}

function defineCheck(declaration: CheckDeclaration): Check {
  const { id, needs = [] } = declaration;
  const area = areas.find((each) => id.startsWith(`${each}.`));
  if (!area) throw new Error(`the id of the check ${id} must begin with an area: ${areas.join(', ')}`);
  const requirement = requirementsById.get(declaration.requirements[0] ?? '');
  if (!requirement) throw new Error(`the check ${id} must name a requirement of the catalogue first`);
  const { level } = requirement;
  const openPoint = declaration.openPoint ?? (level === 'MAY' ? requirement.openPoint : undefined);
  return {
    ...declaration,
    level,
    area,
    ...(openPoint && { openPoint }),
    needs: area === 'webhooks' ? ['webhook-receiver', ...needs] : needs,
  };
}
