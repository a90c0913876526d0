/** One thing that is wrong with a record: where, and what. */
export interface FieldIssue {
  /** Native path (`summary.current_payment_due`) or canonical field. */
  readonly path: string;
  readonly problem: string;
}

/** A record cannot be translated. All its problems at once; the message names each by path. */
export class MappingError extends Error {
  constructor(readonly issues: readonly FieldIssue[]) {
    super(issues.map(({ path, problem }) => `${path}: ${problem}`).join('; '));
  }

  /** The same problems, seen from further out: `amount` becomes `data.amount`. */
  within(prefix: string): MappingError {
    return new MappingError(this.issues.map((issue) => ({ ...issue, path: `${prefix}.${issue.path}` })));
  }
}
