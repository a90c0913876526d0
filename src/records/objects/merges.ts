/** SQL of objects that merge into others: a relation `m` with the columns `customer_id`, `goes` and `stays`. */
export interface Merges {
  readonly relation: string;
  /** Which rows of the relation. */
  readonly condition: string;
  /** The parameters of the condition from `$2` on. */
  readonly parameters: readonly unknown[];
}
