import type { Fault } from '../stand/fault.ts';
import { checkoutAuthFaults } from './auth/checkout.ts';
import { escapedPathFaults } from './auth/escaped-paths.ts';
import { movedClockFaults } from './auth/moved-clocks.ts';
import { authFaults } from './auth/orders.ts';
import { queryFaults } from './auth/queries.ts';
import { refundAuthFaults } from './auth/refunds.ts';
import { revokedKeyFaults } from './auth/revoked-keys.ts';
import { authRuleFaults } from './auth/rules/index.ts';
import { sameConnectionFaults } from './auth/same-connection.ts';
import { besideOtherFieldFaults } from './beside-other-fields.ts';
import { calendarFaults } from './calendar.ts';
import { paymentBoundFaults } from './checkout/bounds-of-methods.ts';
import { checkoutCreateFaults } from './checkout/create.ts';
import { checkoutMethodsFaults } from './checkout/payment-methods.ts';
import { checkoutQueryFaults } from './checkout/query.ts';
import { checkoutRepeatFaults } from './checkout/repeat.ts';
import { checkoutRuleFaults } from './checkout/rules.ts';
import { checkoutStateFaults } from './checkout/states.ts';
import { checkoutViewFaults } from './checkout/view.ts';
import { clockFaults } from './clocks.ts';
import { commonMistakeFaults } from './common-mistakes.ts';
import { askedBeforeFaults } from './derived/asked-before.ts';
import { askedOftenFaults } from './derived/asked-often.ts';
import { bodiesInPartsFaults } from './derived/bodies-in-parts.ts';
import { combinationFaults } from './derived/combinations.ts';
import { constraintFaults } from './derived/constraints.ts';
import { correctedFaults } from './derived/corrected.ts';
import { eachWayFaults } from './derived/each-way.ts';
import { explorationFaults } from './derived/exploration.ts';
import { lastSecondsFaults } from './derived/last-seconds.ts';
import { lookAlikeTextFaults } from './derived/look-alike-texts.ts';
import { orderRateLimitFaults } from './derived/order-rate-limits.ts';
import { paidAtFaults } from './derived/paid-at.ts';
import { parameterFaults } from './derived/parameters.ts';
import { robustnessFaults } from './derived/robustness.ts';
import { surroundingsFaults } from './derived/surroundings.ts';
import { unusualValueFaults } from './derived/unusual-values.ts';
import { unwatchedEndFaults } from './derived/unwatched-ends.ts';
import { valueFaults } from './derived/values.ts';
import { digitFaults } from './digits.ts';
import { escapedLetterFaults } from './escaped-letters.ts';
import { firstOfManyFaults } from './first-of-many.ts';
import { hiddenChangeFaults } from './hidden-changes.ts';
import { specialCaseFaults } from './in-special-cases.ts';
import { addressFaults } from './invariants/addresses.ts';
import { askedFaults } from './invariants/asked.ts';
import { askedRefundFaults } from './invariants/asked-refunds.ts';
import { constantFaults } from './invariants/constant.ts';
import { declaredFaults } from './invariants/declared.ts';
import { deliveryFaults } from './invariants/deliveries.ts';
import { echoFaults } from './invariants/echo.ts';
import { effectFaults } from './invariants/effects.ts';
import { failureFaults } from './invariants/failures.ts';
import { formFaults } from './invariants/forms.ts';
import { identityFaults } from './invariants/identity.ts';
import { isolationFaults } from './invariants/isolation.ts';
import { moneyFaults } from './invariants/money.ts';
import { networkNameFaults } from './invariants/network-names.ts';
import { presenceFaults } from './invariants/presence.ts';
import { refusalIdFaults } from './invariants/refusal-ids.ts';
import { rightCreateFaults } from './invariants/right-creates.ts';
import { timeFaults } from './invariants/times.ts';
import { transitionFaults } from './invariants/transitions.ts';
import { keptForSomeFaults } from './kept-for-some.ts';
import { latePaymentFaults } from './late-payments.ts';
import { longTextFaults } from './long-texts.ts';
import { merchantSettingFaults } from './merchant-settings.ts';
import { mixedUpFaults } from './mixed-up.ts';
import { monthsLaterFaults } from './months-later.ts';
import { namesakeFaults } from './namesakes.ts';
import { newcomerFaults } from './newcomers.ts';
import { orderCreateAddressFaults } from './orders/create/addresses.ts';
import { orderCreateAmountFaults } from './orders/create/amounts.ts';
import { orderCreateAnswerFaults } from './orders/create/answers.ts';
import { orderCreateCustomerIpFaults } from './orders/create/customer-ip.ts';
import { orderCreateExpiryFaults } from './orders/create/expiry.ts';
import { orderCreateItemFaults } from './orders/create/items.ts';
import { orderCreateOptionalFieldFaults } from './orders/create/optional-fields.ts';
import { orderCreateIdFaults } from './orders/create/order-ids.ts';
import { orderCreatePaymentMethodFaults } from './orders/create/payment-method-config.ts';
import { orderCreateSubMerchantFaults } from './orders/create/sub-merchants.ts';
import { orderCreateTextFaults } from './orders/create/texts.ts';
import { orderErrorFaults } from './orders/errors.ts';
import { orderQueryFaults } from './orders/query.ts';
import { stateFaults } from './orders/states.ts';
import { stateAfterRefundFaults } from './orders/states-after-refunds.ts';
import { viewFaults } from './orders/view.ts';
import { otherMerchantFaults } from './other-merchants.ts';
import { raceFaults } from './races.ts';
import { readFromCreateFaults } from './read-from-creates.ts';
import { balanceCountingFaults } from './refunds/balance/counting.ts';
import { balanceCourseFaults } from './refunds/balance/courses.ts';
import { balanceOfCurrencyFaults } from './refunds/balance/currencies.ts';
import { insufficientBalanceFaults } from './refunds/balance/insufficient.ts';
import { balanceOfRefusedFaults } from './refunds/balance/refused.ts';
import { reservedBalanceFaults } from './refunds/balance/reserved.ts';
import { refundBalanceOfKindsFaults } from './refunds/balance-of-kinds.ts';
import { refundBatchFaults } from './refunds/batch-query.ts';
import { refundCreateFaults } from './refunds/create.ts';
import { refundErrorFaults } from './refunds/errors.ts';
import { refundKindFaults } from './refunds/kinds.ts';
import { refundPaymentFaults } from './refunds/payments.ts';
import { refundQueryFaults } from './refunds/query.ts';
import { rateLimitFaults } from './refunds/rate-limits.ts';
import { refundRecordFaults } from './refunds/record.ts';
import { refundRepeatFaults } from './refunds/repeat.ts';
import { secondRefundFaults } from './refunds/second.ts';
import { idRestartFaults } from './restarts/ids.ts';
import { merchantRestartFaults } from './restarts/merchants.ts';
import { orderRestartFaults } from './restarts/orders.ts';
import { refundRestartFaults } from './restarts/refunds.ts';
import { webhookRestartFaults } from './restarts/webhooks.ts';
import { rulesEverywhereFaults } from './rules-everywhere.ts';
import { seldomFaults } from './seldom.ts';
import { situationFaults } from './situations.ts';
import { unaidedFaults } from './unaided.ts';
import { webhookAddressFaults } from './webhooks/addresses.ts';
import { webhookCauseFaults } from './webhooks/causes.ts';
import { givenUpWebhookFaults } from './webhooks/given-up.ts';
import { webhookKindFaults } from './webhooks/kinds.ts';
import { lostWebhookFaults } from './webhooks/lost.ts';
import { webhookQueueFaults } from './webhooks/queues.ts';
import { refusedWebhookFaults } from './webhooks/refused.ts';
import { webhookSignatureFaults } from './webhooks/signatures.ts';
import { nulWebhookFaults, stumblingWebhookFaults } from './webhooks/stumbling.ts';
import { webhookFaults } from './webhooks/webhooks.ts';

/** Every wrong server, in the order of the checks. */
export const allFaults: readonly Fault[] = [
  ...authFaults,
  ...authRuleFaults,
  ...escapedPathFaults,
  ...movedClockFaults,
  ...revokedKeyFaults,
  ...sameConnectionFaults,
  ...orderCreateOptionalFieldFaults,
  ...orderCreateItemFaults,
  ...orderCreateCustomerIpFaults,
  ...orderCreateTextFaults,
  ...orderCreatePaymentMethodFaults,
  ...orderCreateSubMerchantFaults,
  ...orderCreateIdFaults,
  ...orderCreateExpiryFaults,
  ...orderCreateAmountFaults,
  ...orderCreateAnswerFaults,
  ...constraintFaults,
  ...valueFaults,
  ...surroundingsFaults,
  ...parameterFaults,
  ...unusualValueFaults,
  ...combinationFaults,
  ...correctedFaults,
  ...eachWayFaults,
  ...askedBeforeFaults,
  ...lastSecondsFaults,
  ...paidAtFaults,
  ...unwatchedEndFaults,
  ...lookAlikeTextFaults,
  ...viewFaults,
  ...orderQueryFaults,
  ...orderErrorFaults,
  ...stateFaults,
  ...refundAuthFaults,
  ...refundCreateFaults,
  ...refundRepeatFaults,
  ...secondRefundFaults,
  ...refundPaymentFaults,
  ...insufficientBalanceFaults,
  ...balanceOfCurrencyFaults,
  ...balanceCountingFaults,
  ...reservedBalanceFaults,
  ...balanceCourseFaults,
  ...balanceOfRefusedFaults,
  ...refundRecordFaults,
  ...refundQueryFaults,
  ...refundBatchFaults,
  ...refundErrorFaults,
  ...refundKindFaults,
  ...refundBalanceOfKindsFaults,
  ...checkoutAuthFaults,
  ...checkoutMethodsFaults,
  ...checkoutCreateFaults,
  ...checkoutRuleFaults,
  ...checkoutRepeatFaults,
  ...checkoutViewFaults,
  ...checkoutQueryFaults,
  ...checkoutStateFaults,
  ...webhookFaults,
  ...webhookAddressFaults,
  ...refusedWebhookFaults,
  ...webhookCauseFaults,
  ...webhookKindFaults,
  ...givenUpWebhookFaults,
  ...stumblingWebhookFaults,
  ...nulWebhookFaults,
  ...webhookQueueFaults,
  ...webhookSignatureFaults,
  ...deliveryFaults,
  ...robustnessFaults,
  ...bodiesInPartsFaults,
  ...explorationFaults,
  ...declaredFaults,
  ...refusalIdFaults,
  ...presenceFaults,
  ...formFaults,
  ...addressFaults,
  ...networkNameFaults,
  ...effectFaults,
  ...rightCreateFaults,
  ...besideOtherFieldFaults,
  ...merchantSettingFaults,
  ...rulesEverywhereFaults,
  ...failureFaults,
  ...specialCaseFaults,
  ...situationFaults,
  ...echoFaults,
  ...constantFaults,
  ...transitionFaults,
  ...timeFaults,
  ...moneyFaults,
  ...identityFaults,
  ...isolationFaults,
  ...rateLimitFaults,
  ...paymentBoundFaults,
  ...longTextFaults,
  ...raceFaults,
  ...orderRestartFaults,
  ...idRestartFaults,
  ...refundRestartFaults,
  ...webhookRestartFaults,
  ...merchantRestartFaults,
  ...clockFaults,
  ...calendarFaults,
  ...monthsLaterFaults,
  ...askedOftenFaults,
  ...askedFaults,
  ...askedRefundFaults,
  ...readFromCreateFaults,
  ...stateAfterRefundFaults,
  ...orderCreateAddressFaults,
  ...queryFaults,
  ...lostWebhookFaults,
  ...orderRateLimitFaults,
  ...unaidedFaults,
  ...firstOfManyFaults,
  ...hiddenChangeFaults,
  ...keptForSomeFaults,
  ...digitFaults,
  ...escapedLetterFaults,
  ...mixedUpFaults,
  ...otherMerchantFaults,
  ...latePaymentFaults,
  ...namesakeFaults,
  ...newcomerFaults,
  ...commonMistakeFaults,
  ...seldomFaults,
];
