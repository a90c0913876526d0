/** One thing that is wrong with a record: where, and what. */
export interface FieldIssue {
  /** Native path (`summary.current_payment_due`) or canonical field. */
  readonly path: string;
  readonly problem: string;
}

/** Most problems that one message lists. */
const MOST_LISTED = 20;

/** A record cannot be translated. It has all problems that were found; the message names the first by path. */
export class MappingError extends Error {
  constructor(readonly issues: readonly FieldIssue[]) {
    super(messageOf(issues));
  }

  /** The same problems, seen from further out: `amount` becomes `data.amount`. */
  within(prefix: string): MappingError {
    return new MappingError(this.issues.map((issue) => ({ ...issue, path: `${prefix}.${issue.path}` })));
  }
}

function messageOf(issues: readonly FieldIssue[]): string {
  const listed = issues.slice(0, MOST_LISTED).map(({ path, problem }) => `${path}: ${problem}`);
  const more = issues.length - listed.length;
  return `${listed.join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
}
