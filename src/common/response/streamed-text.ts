/** A file of any size as pieces of text in order. It is sent without an envelope. */
export class StreamedText {
  /**
   * @param type media type with its character set
   * @param fileName under which a browser saves it: letters, digits, `-`, `_` and points
   */
  constructor(
    readonly pieces: AsyncIterable<string>,
    readonly type: string,
    readonly fileName: string,
  ) {}
}
