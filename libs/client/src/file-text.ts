import type { Api, Calls } from './calls';
import type { CallOptions } from './options';

/** The bytes that an operation answers with, and what came with them. */
type FileOperation = (api: Api) => Promise<{
  readonly data?: ArrayBuffer;
  readonly error?: unknown;
  readonly response: Response;
}>;

// The usual decoding drops the byte order mark, by which spreadsheets know the encoding.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * The text of an answer that is asked for as CSV, with its byte order mark.
 *
 * @throws ClientError
 */
export async function fileText(calls: Calls, call: CallOptions, operation: FileOperation): Promise<string> {
  const expected = { repeatable: true, headers: { Accept: 'text/csv' }, mediaType: 'text/csv' };
  return decoder.decode(await calls.make(call, expected, operation));
}

/**
 * The text of an answer of JSON, as it was sent.
 *
 * @throws ClientError
 */
export async function jsonText(calls: Calls, call: CallOptions, operation: FileOperation): Promise<string> {
  return decoder.decode(
    await calls.make(call, { repeatable: true, mediaType: 'application/json' }, operation),
  );
}
