/**
 * A result of any size, as pieces of JSON text in order; together they must be one JSON value. A handler returns it
 * in place of the value, and the envelope is put around it as around any other.
 */
export class StreamedJson {
  constructor(readonly pieces: AsyncIterable<string>) {}

  /** A JSON array, from batches of JSON texts of its elements. */
  static array(batches: AsyncIterable<readonly string[]>): StreamedJson {
    return new StreamedJson(arrayText(batches));
  }
}

async function* arrayText(batches: AsyncIterable<readonly string[]>): AsyncGenerator<string> {
  let separator = '[';
  for await (const batch of batches) {
    if (batch.length === 0) continue;
    yield separator + batch.join(',');
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}
