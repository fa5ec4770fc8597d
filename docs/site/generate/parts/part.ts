/** Something that the contract knows, as Markdown for a page. */
export interface Part {
  /** Every option, with the values that it may have. */
  readonly options: Readonly<Record<string, { readonly values: readonly string[]; readonly optional?: true }>>;
  /** The Markdown. `given` has been checked against `options`. */
  make(given: Readonly<Record<string, string>>): string | Promise<string>;
}
