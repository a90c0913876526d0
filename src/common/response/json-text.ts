/** The media type of every JSON response. */
export const JSON_TYPE = 'application/json; charset=utf-8';

/** A complete response of JSON text, sent unchanged. */
export class JsonText {
  constructor(readonly text: string) {}
}
