import { type Area, openPoints, requirements } from '../../../generated/catalogue.ts';
import { code, link } from './markdown.ts';

/** What people call the areas. */
export const areaTitles: Readonly<Record<Area, string>> = {
  general: 'In general',
  auth: 'Authentication',
  orders: 'Hosted orders',
  checkout: 'Checkout orders',
  refunds: 'Refunds',
  webhooks: 'Webhooks',
};

/** Every area that has requirements, in the contract's order. */
export const areas: readonly Area[] = ['general', 'auth', 'orders', 'checkout', 'refunds', 'webhooks'];

/** Addresses that stay: other people link to them. */
export const address = {
  requirement: (id: string) => `/requirements#${id}`,
  openPoint: (id: string) => `/open-points#${id}`,
  error: (errorCode: string) => `/errors#${errorCode}`,
  operation: (id: string) => `/operations/${id}`,
};

export const requirementLink = (id: string): string => link(code(id), address.requirement(id));
export const openPointLink = (id: string): string => link(code(id), address.openPoint(id));

/** Where a rule comes from: the requirement, the open point, both or neither. */
export function ruleLinks(rule: { requirement?: string | undefined; openPoint?: string | undefined }): string {
  return [rule.requirement && requirementLink(rule.requirement), rule.openPoint && openPointLink(rule.openPoint)]
    .filter(Boolean)
    .join(', ');
}

const openPointIds = new Set<string>(openPoints.map(({ id }) => id));
const requirementIds = new Set<string>(requirements.map(({ id }) => id));

/** Markdown in which ids of requirements and open points, where they stand as code, are links. */
export function linkIds(markdown: string): string {
  return markdown.replace(/(?<!\[)`([a-z0-9.-]+)`/g, (whole, id: string) => {
    if (openPointIds.has(id)) return openPointLink(id);
    return requirementIds.has(id) ? requirementLink(id) : whole;
  });
}
