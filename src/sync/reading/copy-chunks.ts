/** Bytes of a chunk. Each chunk is a turn of what copies it, which would cost more than a line. */
const CHUNK = 64 * 1024;

/** Bytes of a character of a string in UTF-8, at most. */
const MOST_BYTES = 3;

/**
 * Collects lines as the bytes that go to the server, many to a chunk. A text that is written at once is garbage while it is
 * young; one that waits in a longer text is copied by each collection until that is sent.
 */
export class CopyChunks {
  private readonly full: Buffer[] = [];
  private open: Buffer | undefined;
  private length = 0;

  add(line: string): void {
    const room = this.open === undefined ? 0 : CHUNK - this.length;
    if (line.length * MOST_BYTES > room && Buffer.byteLength(line) > room) this.close();
    // One that is longer than a chunk is a chunk by itself.
    if (line.length * MOST_BYTES > CHUNK && Buffer.byteLength(line) > CHUNK) {
      this.full.push(Buffer.from(line));
      return;
    }
    // Not out of Node's pool, which other small buffers would keep alive.
    this.open ??= Buffer.allocUnsafeSlow(CHUNK);
    this.length += this.open.write(line, this.length);
  }

  /** All that was added, in order. Nothing may be added later. */
  end(): readonly Buffer[] {
    this.close();
    return this.full;
  }

  private close(): void {
    if (this.open !== undefined) {
      const used = this.open.subarray(0, this.length);
      // Thousands of pages may wait that have a line each.
      this.full.push(this.length < CHUNK / 2 ? Buffer.from(used) : used);
    }
    this.open = undefined;
    this.length = 0;
  }
}
