/** A part of a JSON text, also as bytes in UTF-8, which must not be changed. */
export type JsonPiece = string | Buffer;

/**
 * A result of any size, as pieces of JSON text in order. Together they must be one JSON value. A handler returns it
 * instead of the value, and the envelope is put around it as usual.
 */
export class StreamedJson {
  constructor(readonly pieces: AsyncIterable<JsonPiece>) {}
}
