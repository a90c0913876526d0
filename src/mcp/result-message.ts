import type { RequestId } from '@modelcontextprotocol/sdk/types.js';
import type { JsonPiece } from '../common/response/handler-results';
import { NOTICE, type ToolResult } from './tool-result';

/** Bytes that are written into the block of text at a time, before other work gets its turn. */
const WRITTEN_AT_ONCE = 64 * 1024;

/**
 * The message with the result of a tool, in pieces of JSON. The block of text is written from the pieces of the result
 * while the client reads, so the message takes hardly more memory than the result.
 *
 * @param turn waits for the customer's turn; undefined if no wait is necessary
 */
export async function* resultMessage(
  id: RequestId,
  { pieces, isError }: ToolResult,
  turn: () => Promise<void> | undefined,
): AsyncGenerator<JsonPiece> {
  const notice = JSON.stringify({ type: 'text', text: NOTICE });
  yield `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[${notice},{"type":"text","text":"`;
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; at += WRITTEN_AT_ONCE) {
      yield withinString(piece.subarray(at, at + WRITTEN_AT_ONCE));
      await turn();
    }
  }
  yield '"}],"structuredContent":';
  yield* pieces;
  yield `${isError ? ',"isError":true' : ''}}}`;
}

/**
 * JSON text as a part of a JSON string. As Latin-1, each byte is a character: only ASCII is escaped, and characters of
 * several bytes come out as they are, also where a piece ends inside one.
 */
function withinString(json: Buffer): Buffer {
  return Buffer.from(JSON.stringify(json.toString('latin1')).slice(1, -1), 'latin1');
}
