/** The media type of every answer that is JSON. */
export const JSON_TYPE = 'application/json; charset=utf-8';

/** A whole answer that is JSON text already: it goes out as it is. */
export class JsonText {
  constructor(readonly text: string) {}
}
