// How a check lets time pass for merchants whose payments and refunds a platform moves on by itself (the setting `automatic`).

/** Longer than a payment waits for its confirmations on any network, and shorter than an order lives; in seconds. */
export const untilConfirmed = 10 * 60;

/** Longer than a platform works on a refund; in seconds. */
export const untilRefunded = 20 * 3600;

/** The share of the whole wait in which a platform that moves things on by itself has done so. */
export const shareOfWait = 0.05;
