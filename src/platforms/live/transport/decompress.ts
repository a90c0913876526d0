import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { codeOf } from './failure-reason';

type Inflate = (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const codings: Readonly<Record<string, Inflate>> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};

/** The body was compressed, and cannot be read. */
export class Undecodable extends Error {
  override readonly name = 'Undecodable';

  constructor(readonly reason: 'too_large' | 'truncated' | 'nonsense') {
    super(`The body of an answer is ${reason}`);
  }
}

/**
 * Decompresses a body. The service asks for no compression, but gateways compress all the same.
 *
 * @param coding the header `Content-Encoding`
 * @param mostBytes of the result
 * @throws Undecodable
 */
export async function decompressed(
  body: Buffer,
  coding: string | undefined,
  mostBytes: number,
): Promise<Buffer> {
  const name = coding?.trim().toLowerCase() ?? '';
  if (body.length === 0 || name === '' || name === 'identity') return body;
  const inflateIt = Object.hasOwn(codings, name) ? codings[name] : undefined;
  if (inflateIt === undefined) throw new Undecodable('nonsense');
  try {
    return await inflateIt(body, { maxOutputLength: mostBytes });
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ERR_BUFFER_TOO_LARGE') throw new Undecodable('too_large');
    throw new Undecodable(code === 'Z_BUF_ERROR' ? 'truncated' : 'nonsense');
  }
}
