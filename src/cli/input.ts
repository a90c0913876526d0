import { ApiError } from '../common/errors/api-error';

/** Standard input, for commands that read from it. */
export interface Input extends AsyncIterable<string | Uint8Array> {
  /** True for a terminal, false for a pipe or a file. */
  readonly isTTY?: boolean;
}

/** Maximum number of bytes that a command reads from standard input. */
const MOST_BYTES = 256 * 1024;

/**
 * Reads standard input to its end, as UTF-8.
 *
 * @param example an example of a correct call, for the error message
 * @throws ApiError VALIDATION_ERROR for a terminal, an empty or too long input, and bytes that are no text
 */
export async function textOf(input: Input, example: string): Promise<string> {
  // A secret that is typed in a terminal stays on the screen, and secrets in arguments are visible to every user of the
  // machine. So the command reads pipes and files only.
  if (input.isTTY === true) {
    throw new ApiError('VALIDATION_ERROR', `This command reads JSON from standard input: ${example}`);
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of input) {
    const piece = typeof chunk === 'string' ? Buffer.from(chunk, 'utf8') : chunk;
    bytes += piece.byteLength;
    if (bytes > MOST_BYTES) {
      throw new ApiError('VALIDATION_ERROR', `Standard input has more than ${MOST_BYTES / 1024} KB`);
    }
    chunks.push(piece);
  }
  const text = decoded(Buffer.concat(chunks));
  if (text.trim() === '') throw new ApiError('VALIDATION_ERROR', `Standard input is empty: ${example}`);
  return text;
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new ApiError('VALIDATION_ERROR', 'Standard input is no UTF-8 text');
  }
}
