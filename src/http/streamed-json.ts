import { Handover } from './handover';

/** Writes a piece of text; resolves when more is wanted, so that a slow reader slows the writer down. */
export type WriteText = (text: string) => Promise<void>;

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

  /**
   * What a function writes. For work that must enclose the writing, such as a transaction: the function runs while
   * the answer is sent, and its writes reject with ReaderGone when the client goes away.
   */
  static written(produce: (write: WriteText) => Promise<void>): StreamedJson {
    return new StreamedJson({ [Symbol.asyncIterator]: () => writtenText(produce) });
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

async function* writtenText(produce: (write: WriteText) => Promise<void>): AsyncGenerator<string> {
  const handover = new Handover<string>();
  const work = produce((text) => handover.put(text)).then(
    () => handover.end(),
    (error: unknown) => handover.fail(error),
  );
  try {
    for (let text = await handover.take(); text !== undefined; text = await handover.take()) yield text;
  } finally {
    handover.abandon();
    await work;
  }
}
