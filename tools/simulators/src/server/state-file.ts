import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { parseJsonText, stringifyJson, type JsonValue } from '@app/mapper';

/** Real milliseconds for which changes are collected before they are written. */
const GATHERED = 100;

/**
 * Keeps a value in a JSON file. Without a path nothing is kept. The file is replaced as a whole, so it is never
 * incomplete. Changes are written after a tenth of a second, and the last ones by {@link close}.
 */
export class StateFile {
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(
    private readonly path: string | undefined,
    private readonly current: () => JsonValue,
  ) {}

  /** The value that an earlier run left; undefined if there is no file. */
  static read(path: string | undefined): JsonValue | undefined {
    return path === undefined || !existsSync(path) ? undefined : parseJsonText(readFileSync(path, 'utf8'));
  }

  /** Reports that the value has changed. */
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
