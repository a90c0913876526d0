/**
 * A JSON number whose value a double cannot hold, kept as the token that was read.
 *
 * Records of other systems pass through here. A field without a mapping must not lose a digit on the way.
 * Codecs refuse such a number where its value matters (money, identifiers); everywhere else it is passed on.
 */
export class ExactNumber {
  private static form: ((number: ExactNumber) => unknown) | undefined;

  constructor(readonly token: string) {}

  /**
   * What JSON.stringify writes for the number. It costs nothing where there is no such number; a replacer would be
   * called for every member of a value.
   */
  toJSON(): unknown {
    return ExactNumber.form === undefined ? { token: this.token } : ExactNumber.form(this);
  }

  /** Runs JSON.stringify with another form of exact numbers. */
  static writtenAs<Result>(form: (number: ExactNumber) => unknown, write: () => Result): Result {
    ExactNumber.form = form;
    try {
      return write();
    } finally {
      ExactNumber.form = undefined;
    }
  }
}
