import type { Check } from '../check/check.ts';
import { type CheckDeclaration, defineChecks } from '../check/define-checks.ts';
import { invariantChecks } from '../invariants/index.ts';
import { authAcceptedChecks } from './auth/accepted.ts';
import { authCheckoutChecks } from './auth/checkout.ts';
import { authContentTypeChecks } from './auth/content-types.ts';
import { authEdgeChecks } from './auth/edges.ts';
import { authEverywhereChecks } from './auth/everywhere.ts';
import { authFailureChecks } from './auth/failures.ts';
import { authMovedClockChecks } from './auth/moved-clock.ts';
import { authPathHeaderChecks } from './auth/path-headers.ts';
import { authRefusedChecks } from './auth/refused.ts';
import { authRevokedKeyChecks } from './auth/revoked-keys.ts';
import { authSameConnectionChecks } from './auth/same-connection.ts';
import { checkoutCreateChecks } from './checkout/create.ts';
import { checkoutCreateRulesChecks } from './checkout/create-rules.ts';
import { checkoutErrorsChecks } from './checkout/errors.ts';
import { checkoutExpiryEdgeChecks } from './checkout/expiry-edges.ts';
import { checkoutIdempotencyChecks } from './checkout/idempotency.ts';
import { checkoutOwnMethodsChecks } from './checkout/own-methods.ts';
import { checkoutPaymentMethodsChecks } from './checkout/payment-methods.ts';
import { checkoutQueryChecks } from './checkout/query.ts';
import { checkoutSituationsChecks } from './checkout/situations.ts';
import { checkoutStatesChecks } from './checkout/states.ts';
import { checkoutViewChecks } from './checkout/view.ts';
import { askedBeforeChecks } from './derived/asked-before.ts';
import { askedOftenChecks } from './derived/asked-often.ts';
import { atTheEndChecks } from './derived/at-the-end.ts';
import { bodiesInPartsChecks } from './derived/bodies-in-parts.ts';
import { calendarChecks } from './derived/calendar.ts';
import { combinationChecks } from './derived/combinations.ts';
import { correctedChecks } from './derived/corrected.ts';
import { daysLaterChecks } from './derived/days-later.ts';
import { eachWayChecks } from './derived/each-way.ts';
import { explorationChecks } from './derived/exploration.ts';
import { farExpiryChecks } from './derived/far-expiries.ts';
import { fieldRuleChecks } from './derived/field-rules.ts';
import { fieldsOfAnswersChecks } from './derived/fields-of-answers.ts';
import { finalStateChecks } from './derived/final-states.ts';
import { firstOfManyChecks } from './derived/first-of-many.ts';
import { freeTextChecks } from './derived/free-texts.ts';
import { impossibleDateChecks } from './derived/impossible-dates.ts';
import { lastOfManyChecks } from './derived/last-of-many.ts';
import { lastSecondsChecks } from './derived/last-seconds.ts';
import { longTextChecks } from './derived/long-texts.ts';
import { lookAlikeTextChecks } from './derived/look-alike-texts.ts';
import { monthsLaterChecks } from './derived/months-later.ts';
import { namesakeChecks } from './derived/namesakes.ts';
import { orderRateLimitChecks } from './derived/order-rate-limits.ts';
import { otherIdChecks } from './derived/other-ids.ts';
import { otherMerchantChecks } from './derived/other-merchants.ts';
import { paidAtChecks } from './derived/paid-at.ts';
import { paymentChecks } from './derived/payments.ts';
import { raceChecks } from './derived/races/index.ts';
import { readAgainChecks } from './derived/read-again.ts';
import { repeatsAfterRefundsChecks } from './derived/repeats-after-refunds.ts';
import { restartChecks } from './derived/restarts/index.ts';
import { robustnessChecks } from './derived/robustness.ts';
import { rulesEverywhereChecks } from './derived/rules-everywhere.ts';
import { timeZoneChecks } from './derived/time-zones.ts';
import { unaidedChecks } from './derived/unaided.ts';
import { underWayAtExpiryChecks } from './derived/under-way-at-expiry.ts';
import { unusualValueChecks } from './derived/unusual-values.ts';
import { unwatchedEndChecks } from './derived/unwatched-ends.ts';
import { ordersCreateChecks } from './orders/create.ts';
import { ordersErrorsChecks } from './orders/errors.ts';
import { orderIdChecks } from './orders/order-ids.ts';
import { paymentMethodConfigChecks } from './orders/payment-method-config.ts';
import { ordersQueryChecks } from './orders/query.ts';
import { ordersSituationsChecks } from './orders/situations.ts';
import { ordersStatesChecks } from './orders/states.ts';
import { subMerchantChecks } from './orders/sub-merchants.ts';
import { ordersViewChecks } from './orders/view.ts';
import { refundsBalanceChecks } from './refunds/balance.ts';
import { balanceCourseChecks } from './refunds/balance-course.ts';
import { balanceOfCurrenciesChecks } from './refunds/balance-of-currencies.ts';
import { refundsBalanceOfKindsChecks } from './refunds/balance-of-kinds.ts';
import { refundsBatchQueryChecks } from './refunds/batch-query.ts';
import { refundsCreateChecks } from './refunds/create.ts';
import { refundsErrorsChecks } from './refunds/errors.ts';
import { exactBalanceChecks } from './refunds/exact-balance.ts';
import { refundsIdempotencyChecks } from './refunds/idempotency.ts';
import { insufficientBalanceChecks } from './refunds/insufficient-balance.ts';
import { refundsPeriodChecks } from './refunds/period.ts';
import { refundsQueryChecks } from './refunds/query.ts';
import { refundsRateLimitChecks } from './refunds/rate-limits.ts';
import { refundsRecordChecks } from './refunds/record.ts';
import { refundIdChecks } from './refunds/refund-ids.ts';
import { refundableOrdersChecks } from './refunds/refundable-orders.ts';
import { refundsReservesNothingChecks } from './refunds/reserves-nothing.ts';
import { refundsSecondChecks } from './refunds/second.ts';
import { refundsSituationsChecks } from './refunds/situations.ts';
import { refundsStatesChecks } from './refunds/states.ts';
import { webhooksAddressFormsChecks } from './webhooks/address-forms.ts';
import { webhooksEveryKindChecks } from './webhooks/every-kind.ts';
import { webhooksGivenUpChecks } from './webhooks/given-up.ts';
import { webhooksManyAtOnceChecks } from './webhooks/many-at-once.ts';
import { webhooksNamesakeChecks } from './webhooks/namesakes.ts';
import { webhooksNewerEventsChecks } from './webhooks/newer-events.ts';
import { webhooksOddTextsChecks } from './webhooks/odd-texts.ts';
import { webhooksOrdersChecks } from './webhooks/orders.ts';
import { webhooksPayloadChecks } from './webhooks/payloads.ts';
import { webhooksRefundsChecks } from './webhooks/refunds.ts';
import { webhooksRefusedCreatesChecks } from './webhooks/refused-creates.ts';
import { webhooksRestartsChecks } from './webhooks/restarts.ts';
import { webhooksRetriesChecks } from './webhooks/retries.ts';
import { retriesOfCausesChecks } from './webhooks/retries-of-causes.ts';
import { webhooksScheduleChecks } from './webhooks/schedule.ts';
import { webhooksSharedAddressChecks } from './webhooks/shared-addresses.ts';
import { webhooksSignaturesChecks } from './webhooks/signatures.ts';
import { webhooksSituationsChecks } from './webhooks/situations.ts';
import { webhooksUnaidedChecks } from './webhooks/unaided.ts';
import { webhooksWeeksLaterChecks } from './webhooks/weeks-later.ts';
import { webhooksWhileProcessingChecks } from './webhooks/while-processing.ts';

/** What a check asks for: one value of a field, one rule of authentication, a situation, a race … `rule` is any other sentence. */
export type CheckKind =
  | 'authentication'
  | 'exploration'
  | 'field'
  | 'race'
  | 'robustness'
  | 'rule'
  | 'situation'
  | 'state'
  | 'webhook';

/** The checks that ask, with their kinds. */
const asking: readonly (readonly [kind: CheckKind, declarations: readonly CheckDeclaration[]])[] = [
  ['authentication', authAcceptedChecks],
  ['authentication', authRefusedChecks],
  ['authentication', authFailureChecks],
  ['authentication', authContentTypeChecks],
  ['authentication', authSameConnectionChecks],
  ['authentication', authEdgeChecks],
  ['authentication', authPathHeaderChecks],
  ['authentication', authCheckoutChecks],
  ['rule', ordersCreateChecks],
  ['rule', subMerchantChecks],
  ['rule', paymentMethodConfigChecks],
  ['field', fieldRuleChecks],
  ['rule', ordersViewChecks],
  ['rule', ordersQueryChecks],
  ['rule', ordersErrorsChecks],
  ['state', ordersStatesChecks],
  ['situation', ordersSituationsChecks],
  ['rule', refundsCreateChecks],
  ['rule', refundIdChecks],
  ['rule', refundableOrdersChecks],
  ['rule', refundsSecondChecks],
  ['rule', refundsIdempotencyChecks],
  ['rule', insufficientBalanceChecks],
  ['rule', refundsBalanceChecks],
  ['rule', exactBalanceChecks],
  ['rule', balanceCourseChecks],
  ['rule', refundsBalanceOfKindsChecks],
  ['rule', refundsRecordChecks],
  ['rule', refundsQueryChecks],
  ['rule', refundsErrorsChecks],
  ['state', refundsStatesChecks],
  ['situation', refundsSituationsChecks],
  ['rule', checkoutPaymentMethodsChecks],
  ['rule', checkoutCreateChecks],
  ['rule', checkoutCreateRulesChecks],
  ['rule', checkoutExpiryEdgeChecks],
  ['rule', checkoutIdempotencyChecks],
  ['rule', checkoutViewChecks],
  ['rule', checkoutQueryChecks],
  ['rule', checkoutErrorsChecks],
  ['state', checkoutStatesChecks],
  ['situation', checkoutSituationsChecks],
  ['rule', orderIdChecks],
  ['rule', timeZoneChecks],
  ['rule', correctedChecks],
  ['rule', orderRateLimitChecks],
  ['webhook', webhooksOrdersChecks],
  ['webhook', webhooksRefundsChecks],
  ['webhook', webhooksPayloadChecks],
  ['webhook', webhooksSignaturesChecks],
  ['webhook', webhooksRetriesChecks],
  ['webhook', retriesOfCausesChecks],
  ['webhook', webhooksAddressFormsChecks],
  ['webhook', webhooksEveryKindChecks],
  ['webhook', webhooksWeeksLaterChecks],
  ['webhook', webhooksUnaidedChecks],
  ['webhook', webhooksNamesakeChecks],
  ['webhook', webhooksGivenUpChecks],
  ['webhook', webhooksOddTextsChecks],
  ['webhook', webhooksScheduleChecks],
  ['webhook', webhooksSituationsChecks],
  ['webhook', webhooksSharedAddressChecks],
  ['webhook', webhooksRefusedCreatesChecks],
  ['webhook', webhooksManyAtOnceChecks],
  ['webhook', webhooksNewerEventsChecks],
  ['webhook', webhooksWhileProcessingChecks],
  ['situation', daysLaterChecks],
  ['situation', farExpiryChecks],
  ['state', lastSecondsChecks],
  ['situation', firstOfManyChecks],
  ['situation', atTheEndChecks],
  ['situation', monthsLaterChecks],
  ['situation', impossibleDateChecks],
  ['situation', calendarChecks],
  ['situation', askedOftenChecks],
  ['robustness', [...robustnessChecks, ...bodiesInPartsChecks]],
  ['exploration', explorationChecks],
  ['situation', combinationChecks],
  ['rule', refundsRateLimitChecks],
  ['rule', refundsBatchQueryChecks],
  ['rule', balanceOfCurrenciesChecks],
  ['rule', refundsPeriodChecks],
  ['rule', refundsReservesNothingChecks],
  ['rule', checkoutOwnMethodsChecks],
  ['field', longTextChecks],
  ['field', lastOfManyChecks],
  ['field', rulesEverywhereChecks],
  ['field', unusualValueChecks],
  ['field', freeTextChecks],
  ['field', lookAlikeTextChecks],
  ['field', fieldsOfAnswersChecks],
  ['rule', otherIdChecks],
  ['rule', otherMerchantChecks],
  ['situation', readAgainChecks],
  ['rule', eachWayChecks],
  ['rule', askedBeforeChecks],
  ['rule', unwatchedEndChecks],
  ['rule', paidAtChecks],
  ['situation', namesakeChecks],
  ['situation', repeatsAfterRefundsChecks],
  ['state', finalStateChecks],
  ['state', paymentChecks],
  ['state', underWayAtExpiryChecks],
  ['race', raceChecks],
  ['authentication', authRevokedKeyChecks],
  ['authentication', authMovedClockChecks],
  ['authentication', authEverywhereChecks],
  ['situation', unaidedChecks],
];

const askingChecks = defineChecks(asking.flatMap(([, declarations]) => declarations));

/** The kind of each check that asks, by its id. */
export const kindsOfChecks: ReadonlyMap<string, CheckKind> = new Map(
  asking.flatMap(([kind, declarations]) => declarations.map(({ id }) => [id, kind] as const)),
);

/**
 * Every check: those that ask, in the contract's order, then the invariants' rules over all that was exchanged, and at last those that
 * end the target without warning.
 */
export const allChecks: readonly Check[] = [
  ...askingChecks,
  ...invariantChecks,
  ...defineChecks([...restartChecks, ...webhooksRestartsChecks]),
];
