import type { Choices, Constraint } from '../../generated/catalogue.ts';

type Change = (constraint: Constraint) => readonly Constraint[];

const unchanged: Change = (constraint) => [constraint];
const dropped: Change = () => [];
const bound = (constraint: Constraint, keyword: string, value: string): Constraint => ({
  ...constraint,
  keyword: `x-decimal.${keyword}`,
  value,
});

/** The limits of an order's amount (open point `orders-amount-limits`). */
const amountLimits: Readonly<Record<Choices['orders-amount-limits'], Change>> = {
  'above-zero': unchanged,
  bounded: (constraint) => [bound(constraint, 'minimum', '0.01'), bound(constraint, 'maximum', '1000000')],
  'zero-accepted': dropped,
};

const exclusive: Readonly<Record<string, string>> = {
  'x-decimal.minimum': 'exclusiveMinimum',
  'x-decimal.maximum': 'exclusiveMaximum',
};

const settlementRatioEdges: Readonly<Record<Choices['settlement-ratio-edges'], Change>> = {
  inclusive: unchanged,
  exclusive: (constraint) => [
    bound(constraint, exclusive[constraint.keyword] ?? constraint.keyword, String(constraint.value)),
  ],
};

const metadataForms: Readonly<Record<Choices['orders-metadata-json'], Change>> = {
  refused: unchanged,
  accepted: dropped,
};

/** The contract's constraints, changed as the choices at open points demand. */
export function chosenConstraints(constraints: readonly Constraint[], choices: Choices): readonly Constraint[] {
  const changes: Partial<Record<Constraint['requirement'], Change>> = {
    'orders.amount.positive': amountLimits[choices['orders-amount-limits']],
    'orders.create.sub-merchants.settlement-ratio': settlementRatioEdges[choices['settlement-ratio-edges']],
    'orders.create.metadata.json': metadataForms[choices['orders-metadata-json']],
  };
  return constraints.flatMap((constraint) => (changes[constraint.requirement] ?? unchanged)(constraint));
}
