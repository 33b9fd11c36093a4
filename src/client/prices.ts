// Usage → money, by a table that the caller supplies.
export interface Price {
  /** US dollars per million tokens. */
  input: number;
  output: number;
}
export type PriceTable = Readonly<Record<string, Price>>;
