/** An HTTP/1.1 answer. */
export interface HttpResponse {
  readonly status: number;
  /** Bytes of the body, without those that frame its chunks. */
  readonly bytes: number;
  /** The body, if it was to be kept. */
  readonly body: Buffer | undefined;
}

const HEAD_END = Buffer.from('\r\n\r\n');
const LINE_END = Buffer.from('\r\n');

/** The next part of an answer on the connection. `gap` is the line end after a chunk, `last` the one after the last chunk. */
type Part = 'head' | 'body' | 'size' | 'chunk' | 'gap' | 'last';

/**
 * Reads the answers on one connection with as little work as possible, because the measured service shares the machine. It
 * knows bodies with a length and bodies in chunks without trailers, which is all that the servers here send.
 */
export class ResponseReader {
  private next: Part = 'head';
  /** Remaining bytes of a body, a chunk or a line end. */
  private due = 0;
  private rest: Buffer | undefined;
  private status = 0;
  private bytes = 0;
  private kept: Buffer[] | undefined;

  /** @param keeps whether the body of the answer that begins now is wanted */
  constructor(
    private readonly keeps: () => boolean,
    private readonly ended: (answer: HttpResponse) => void,
  ) {}

  /**
   * Processes received bytes.
   *
   * @throws Error for bytes that are no answer
   */
  push(chunk: Buffer): void {
    let data = this.rest === undefined ? chunk : Buffer.concat([this.rest, chunk]);
    this.rest = undefined;
    while (data.length > 0) {
      const used = this.read(data);
      if (used === 0) break;
      data = data.subarray(used);
    }
    if (data.length > 0) this.rest = data;
  }

  /** Reads some of the next part and returns the number of bytes that it used; 0 while there are too few. */
  private read(data: Buffer): number {
    switch (this.next) {
      case 'head':
        return this.readHead(data);
      case 'size':
        return this.readSize(data);
      case 'body':
      case 'chunk':
      case 'gap':
      case 'last':
        return this.readDue(data, this.next);
    }
  }

  private readHead(data: Buffer): number {
    const end = data.indexOf(HEAD_END);
    if (end < 0) return 0;
    const head = data.toString('latin1', 0, end).toLowerCase();
    this.status = Number(head.slice(9, 12));
    this.bytes = 0;
    this.kept = this.keeps() ? [] : undefined;
    if (head.includes('\r\ntransfer-encoding: chunked')) {
      this.next = 'size';
    } else {
      const [, length] = /\r\ncontent-length: *(\d+)/.exec(head) ?? [];
      if (length === undefined || Number.isNaN(this.status)) throw new Error(`This is no answer: ${head}`);
      this.expect('body', Number(length));
      if (this.due === 0) this.end();
    }
    return end + HEAD_END.length;
  }

  private readSize(data: Buffer): number {
    const end = data.indexOf(LINE_END);
    if (end < 0) return 0;
    const size = parseInt(data.toString('latin1', 0, end), 16);
    if (Number.isNaN(size)) throw new Error('A chunk has no size');
    if (size === 0) this.expect('last', LINE_END.length);
    else this.expect('chunk', size);
    return end + LINE_END.length;
  }

  private readDue(data: Buffer, part: 'body' | 'chunk' | 'gap' | 'last'): number {
    const used = Math.min(this.due, data.length);
    this.due -= used;
    if (part === 'body' || part === 'chunk') {
      this.bytes += used;
      this.kept?.push(data.subarray(0, used));
    }
    if (this.due > 0) return used;
    if (part === 'chunk') this.expect('gap', LINE_END.length);
    else if (part === 'gap') this.next = 'size';
    else this.end();
    return used;
  }

  private expect(part: Part, bytes: number): void {
    this.next = part;
    this.due = bytes;
  }

  private end(): void {
    this.next = 'head';
    this.ended({ status: this.status, bytes: this.bytes, body: this.kept && Buffer.concat(this.kept) });
  }
}
