/** The text of a cause, and a key that is the same for checks with this cause. */
export interface Named {
  key: string;
  text: string;
  /** The area in which it lies. Absent: it may lie in any. */
  area?: string;
  /** See `Cause`. */
  onTheWay?: boolean;
}

/** The key of the cause that all requests have in common. */
export const everyRequest = 'every request';
