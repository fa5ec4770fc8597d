import type { Variant } from '../stand/fault.ts';
import { singleChoices } from '../variants/chosen-servers.ts';
import { freeChoiceVariants } from '../variants/free-choices.ts';
import { freeFormVariants } from '../variants/free-forms.ts';
import { freeWireVariants } from '../variants/free-wire.ts';
import { webhookVariants } from '../variants/webhooks.ts';

/** Points at which the reference server itself decides otherwise about a row of the second reading. */
const rereadPoints: readonly string[] = ['refund-second', 'orders-rate-limit', 'content-type'];

/**
 * The conforming servers that a second reading of the specification made fair: those that take the other side where the first was too
 * strict, and those of which a sentence allows what is seldom done. Nothing warns about them either.
 */
export const unwarned: readonly Variant[] = [
  ...freeChoiceVariants,
  ...freeFormVariants,
  ...freeWireVariants,
  ...webhookVariants,
  ...singleChoices.filter(({ openPoint }) => rereadPoints.includes(openPoint)),
];
