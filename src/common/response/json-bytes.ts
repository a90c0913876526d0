/** A complete response of JSON text in UTF-8. Its bytes are sent unchanged, one piece after another. */
export class JsonBytes {
  /** @param pieces may be shared with other responses, so they must not be changed */
  constructor(readonly pieces: readonly Buffer[]) {}
}
