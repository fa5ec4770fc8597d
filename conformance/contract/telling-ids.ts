/**
 * How many characters an id has at least that tells of what a text speaks. A shorter one may stand there by chance: a platform may count, so that any
 * number is the id of something.
 */
export const shortestTellingId = 8;
