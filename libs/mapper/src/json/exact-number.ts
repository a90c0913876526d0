/**
 * A JSON number whose value a double cannot hold, kept as the token that was read.
 *
 * Records of other people's systems pass through here; a field nobody maps must not lose a digit on the way.
 * Codecs refuse such a number where its value matters (money, identifiers); everywhere else it is passed on.
 */
export class ExactNumber {
  constructor(readonly token: string) {}
}
