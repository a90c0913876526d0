/** A part of a JSON text, also as bytes in UTF-8 that are not to be changed. */
export type JsonPiece = string | Buffer;

/**
 * A result of any size, as pieces of JSON text in order; together they must be one JSON value. A handler returns it
 * in place of the value, and the envelope is put around it as around any other.
 */
export class StreamedJson {
  constructor(readonly pieces: AsyncIterable<JsonPiece>) {}
}
