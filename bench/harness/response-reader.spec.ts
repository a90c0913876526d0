import { ResponseReader, type HttpResponse } from './response-reader';

function read(chunks: readonly string[], keeps = true): readonly HttpResponse[] {
  const answers: HttpResponse[] = [];
  const reader = new ResponseReader(
    () => keeps,
    (answer) => answers.push(answer),
  );
  for (const chunk of chunks) reader.push(Buffer.from(chunk));
  return answers;
}

const bodies = (answers: readonly HttpResponse[]) =>
  answers.map(({ status, bytes, body }) => [status, bytes, body?.toString()]);

const plain = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello';
const chunked =
  'HTTP/1.1 502 Bad Gateway\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n';

describe('a reader of answers', () => {
  it('reads a body with a length', () => expect(bodies(read([plain]))).toEqual([[200, 5, 'hello']]));

  it('reads a body in chunks without their frames', () =>
    expect(bodies(read([chunked]))).toEqual([[502, 11, 'hello world']]));

  it('reads answers that arrive byte by byte', () =>
    expect(bodies(read([...plain, ...chunked, ...plain]))).toEqual([
      [200, 5, 'hello'],
      [502, 11, 'hello world'],
      [200, 5, 'hello'],
    ]));

  it('reads several answers of one piece', () =>
    expect(bodies(read([plain + chunked + plain]))).toHaveLength(3));

  it('reads an answer without a body', () =>
    expect(bodies(read(['HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n']))).toEqual([[200, 0, '']]));

  it('keeps no body that nobody wants', () =>
    expect(bodies(read([plain], false))).toEqual([[200, 5, undefined]]));

  it('refuses what is no answer', () => expect(() => read(['SSH-2.0 hello\r\n\r\n'])).toThrow('no answer'));
});
