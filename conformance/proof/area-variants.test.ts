import { checkoutVariants } from './checkout-variants.ts';
import { ordersVariants } from './orders-variants.ts';
import { refundsVariants } from './refunds-variants.ts';
import { testUnaccused } from './testing/unaccused.ts';

testUnaccused([...ordersVariants, ...refundsVariants, ...checkoutVariants]);
