/** A complete response of JSON text in UTF-8. Its bytes are sent unchanged, one piece after another. */
export class JsonBytes {
  /** @param pieces may be shared with other responses, so they must not be changed */
  constructor(readonly pieces: readonly Buffer[]) {}
}

/** The media type of every JSON response. */
export const JSON_TYPE = 'application/json; charset=utf-8';

/** A complete response of JSON text, sent unchanged. */
export class JsonText {
  constructor(readonly text: string) {}
}

/** A part of a JSON text, also as bytes in UTF-8, which must not be changed. */
export type JsonPiece = string | Buffer;

/**
 * A result of any size, as pieces of JSON text in order. Together they must be one JSON value. A handler returns it
 * instead of the value, and the envelope is put around it as usual.
 */
export class StreamedJson {
  /** @param held bytes that the whole result holds in memory until it is sent; absent if it reserves each of its parts */
  constructor(
    readonly pieces: AsyncIterable<JsonPiece>,
    readonly held?: number,
  ) {}
}

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

/** The header of a replayed response. */
export const REPLAYED = 'Idempotent-Replayed';

/** A response that is stored under a client's key: text that is sent unchanged, with its original status. */
export class ReplayableResponse {
  /**
   * @param text JSON, without the envelope
   * @param isReplay whether it was sent before
   */
  constructor(
    readonly text: string,
    readonly status: number,
    readonly isReplay: boolean,
  ) {}
}
