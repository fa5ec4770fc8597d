import { type Area, openPoints, requirements } from '../../../generated/catalogue.ts';
import { code, link } from './markdown.ts';

/** The names of the areas in headings. */
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

/** Addresses on the site. They are permanent, because others link to them. */
export const address = {
  requirement: (id: string) => `/requirements#${id}`,
  openPoint: (id: string) => `/open-points#${id}`,
  error: (errorCode: string) => `/errors#${errorCode}`,
  operation: (id: string) => `/operations/${id}`,
};

export const requirementLink = (id: string): string => link(code(id), address.requirement(id));
export const openPointLink = (id: string): string => link(code(id), address.openPoint(id));

/** Links to the requirement and the open point of a rule, as far as it has them. */
export function ruleLinks(rule: { requirement?: string | undefined; openPoint?: string | undefined }): string {
  return [rule.requirement && requirementLink(rule.requirement), rule.openPoint && openPointLink(rule.openPoint)]
    .filter(Boolean)
    .join(', ');
}

const openPointIds = new Set<string>(openPoints.map(({ id }) => id));
const requirementIds = new Set<string>(requirements.map(({ id }) => id));

/** Turns ids of requirements and open points that stand as code into links. */
export function linkIds(markdown: string): string {
  return markdown.replace(/(?<!\[)`([a-z0-9.-]+)`/g, (whole, id: string) => {
    if (openPointIds.has(id)) return openPointLink(id);
    return requirementIds.has(id) ? requirementLink(id) : whole;
  });
}
