/** A piece of a page that is generated from the contract or another source of the project. */
export interface Part {
  /** The options of the part. An option without `values` may have any value. */
  readonly options: Readonly<Record<string, { readonly values?: readonly string[]; readonly optional?: true }>>;
  /** Returns the Markdown. The caller has checked `given` against `options`. */
  make(given: Readonly<Record<string, string>>): string;
}
