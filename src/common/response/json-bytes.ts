/** A whole answer that is JSON text already, in UTF-8: its bytes go out as they are, one piece after the other. */
export class JsonBytes {
  /** @param pieces may be those of other answers too, so nobody changes them */
  constructor(readonly pieces: readonly Buffer[]) {}
}
