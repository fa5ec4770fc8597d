import { limit } from '../../../../generated/catalogue.ts';
import type { Product } from '../../../arrange/orders/any-order.ts';
import { foreignText, markedText } from '../../../arrange/requests/further-fields.ts';
import { lengthLimit } from '../../../contract/lengths.ts';
import type { Feature } from './features.ts';

/** Texts of a merchant's own, which both products show as they were sent. */
interface Texts {
  description: string;
  metadata: string;
}

interface TextFeature extends Feature {
  fields?(): Texts;
}

/** The same text as a description and within the metadata. */
const saying = (note: string) => (): Texts => ({ description: note, metadata: JSON.stringify({ note }) });

/** Texts of an order of a product, as long as they may be. */
const longest = (product: Product) => (): Texts => ({
  metadata: JSON.stringify({ cart: 'c'.repeat(limit(`${product}.metadata.length`, 'max') - '{"cart":""}'.length) }),
  description: 'd'.repeat(lengthLimit(product, 'description', 'maxLength').limit),
});

/** Texts in which characters are easily lost. */
export const textFeatures = (product: Product): readonly TextFeature[] => [
  {},
  { words: 'with long texts', fields: longest(product) },
  { words: 'with letters of other scripts', fields: saying(foreignText), isOpen: true },
  { words: 'with quotation marks', fields: saying(markedText) },
];
