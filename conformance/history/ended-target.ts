/** How the error of a request begins that was under way when the target ended. It lasts until connections are taken there again, or no longer awaited. */
export const endedBeforeAnswer = 'the target ended before it answered';

/** How the error of a request begins that was to be sent when the target had ended, and that never reached it. */
export const hasEnded = 'the target has ended';

/** How the reason of a check begins at whose request the target ended each time. */
export const endedEachTime = 'the target ended at';
