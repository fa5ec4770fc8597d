/** The message of an error. A thrown value that is no error is returned as text. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
