/** Bytes of a chunk. The copy takes one turn of the event loop for each chunk, which costs more than a line. */
const CHUNK = 64 * 1024;

/** Maximum bytes of a UTF-16 code unit in UTF-8. */
const MOST_BYTES = 3;

/**
 * Collects lines as the bytes that are sent to the server, many lines to a chunk. A line that is encoded at once
 * becomes garbage while it is young. A line that stays in a longer string is copied by each garbage collection until
 * the string is sent.
 */
export class CopyChunks {
  private readonly full: Buffer[] = [];
  private open: Buffer | undefined;
  private length = 0;

  add(line: string): void {
    const room = this.open === undefined ? 0 : CHUNK - this.length;
    if (line.length * MOST_BYTES > room && Buffer.byteLength(line) > room) this.close();
    // A line that is longer than a chunk becomes a chunk of its own.
    if (line.length * MOST_BYTES > CHUNK && Buffer.byteLength(line) > CHUNK) {
      this.full.push(Buffer.from(line));
      return;
    }
    // Not from Node's buffer pool, where other small buffers would keep the memory alive.
    this.open ??= Buffer.allocUnsafeSlow(CHUNK);
    this.length += this.open.write(line, this.length);
  }

  /** All added lines, in order. No line may be added afterwards. */
  end(): readonly Buffer[] {
    this.close();
    return this.full;
  }

  private close(): void {
    if (this.open !== undefined) {
      const used = this.open.subarray(0, this.length);
      // Thousands of pages of one line each may be queued, so a mostly empty chunk is copied to its actual size.
      this.full.push(this.length < CHUNK / 2 ? Buffer.from(used) : used);
    }
    this.open = undefined;
    this.length = 0;
  }
}
