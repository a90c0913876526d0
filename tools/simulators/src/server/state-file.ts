import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { parseJsonText, stringifyJson, type JsonValue } from '@app/mapper';

/** How long changes are gathered before they are written, in real milliseconds. */
const GATHERED = 100;

/**
 * A JSON file that follows a value. Without a path nothing is kept. The file is replaced as a whole, so that it is
 * never half written; changes are gathered for a tenth of a second, and {@link close} writes what is left.
 */
export class StateFile {
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(
    private readonly path: string | undefined,
    private readonly current: () => JsonValue,
  ) {}

  /** What an earlier run has left; undefined when there is no file. */
  static read(path: string | undefined): JsonValue | undefined {
    return path === undefined || !existsSync(path) ? undefined : parseJsonText(readFileSync(path, 'utf8'));
  }

  /** Says that the value has changed. */
  changed(): void {
    if (this.path === undefined || this.isClosed) return;
    this.timer ??= setTimeout(() => this.write(), GATHERED);
  }

  close(): void {
    if (this.timer !== undefined) this.write();
    this.isClosed = true;
  }

  private write(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.path === undefined) return;
    const draft = `${this.path}.new`;
    const file = openSync(draft, 'w', 0o600);
    try {
      writeFileSync(file, stringifyJson(this.current()));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(draft, this.path);
  }
}
