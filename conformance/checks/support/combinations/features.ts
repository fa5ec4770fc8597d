import { ifTaken } from '../../../arrange/situations/situations.ts';
import type { CheckContext } from '../../../check/context.ts';
import type { Credentials, MerchantSettings } from '../../../drivers/driver.ts';
import type { Mailbox } from '../../../wire/mailbox.ts';
import type { Course } from './courses.ts';

// An order is a combination of features. Each stands in a list of those that exclude one another, and may meet every feature of the other lists.

/** Another order under the same id, or under one like it, that is made afterwards and to which nothing happens. */
export type Namesake = 'of another merchant' | 'of the other product' | 'in other letters';

/** What becomes of an order, and under which id, as far as its features decide it. */
export interface Plan {
  /** What its merchant has. Absent: no more than others. */
  settings?: MerchantSettings;
  /** Makes the merchant's id of it out of one that was not used before. */
  id?(unused: string): string;
  /** Where its webhooks come. Absent: at a usual address. */
  address?(context: CheckContext): Promise<Mailbox>;
  namesake?: Namesake;
  /** Another merchant sends the same create at once: its order is another one. */
  isSentByAnother?: true;
  /** How long it may be paid, in seconds. Absent: as usual. */
  lifetime?: number;
  course?: Course;
  /** For how long nothing happens before its course begins, in seconds. */
  quietTime?: number;
  /** The first event about its end is not acknowledged. */
  isUnheard?: true;
  /** It is asked for before anything happens. */
  isAskedBefore?: true;
  /** Its create is sent again when its time has run out, and when it has ended. */
  isRepeated?: true;
}

/** One way in which an order may differ from others. */
export interface Feature extends Plan {
  /** In words that follow others about the order. Absent: as most orders are. */
  words?: string;
  /** A target may refuse to make such an order, and is asked for one without this feature then. */
  isOpen?: true;
}

/** What several things lead to together: what a later one says counts. */
export function merged<Part extends object>(parts: readonly (Part | undefined)[]): Partial<Part> {
  const whole: Partial<Part> = {};
  for (const part of parts) Object.assign(whole, part);
  return whole;
}

/** Features in words that follow an order. Empty: it is a usual one. */
export const wordsOf = (features: readonly { words?: string }[]): string =>
  features.flatMap(({ words }) => words ?? []).join(', ');

/** A merchant that nobody else uses, with these settings where the driver can make one. */
export const merchantWith = async (context: CheckContext, settings: MerchantSettings = {}): Promise<Credentials> =>
  (await ifTaken(context.ownMerchant(settings))) ?? context.ownMerchant();
