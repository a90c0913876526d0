/** A whole answer that is JSON text already: it goes out as it is. */
export class JsonText {
  constructor(readonly text: string) {}
}
