import {
  isJsonArray,
  isJsonObject,
  ownMember,
  setMember,
  valueAt,
  decimalIn,
  ZERO,
  type Decimal,
  type JsonObject,
  type JsonPath,
  type JsonValue,
} from '@app/mapper';

/**
 * A record being changed. Paths that the code knows are member names joined by points; others are lists of names. The
 * payload it is made from stays as it is: each object on a path is copied once, when a value first goes into it.
 */
export class PayloadDraft {
  private readonly draft: Record<string, JsonValue>;
  /** Copies that belong to the draft alone, by the value that is in it now. */
  private readonly own = new Map<JsonValue, Record<string, JsonValue>>();

  constructor(payload: JsonObject) {
    this.draft = { ...payload };
  }

  get(path: string): JsonValue | undefined {
    return valueAt(this.draft, path.split('.'));
  }

  set(path: string, value: JsonValue): void {
    this.setAt(path.split('.'), value);
  }

  setAt(path: JsonPath, value: JsonValue): void {
    const member = path.at(-1);
    if (member === undefined) return;
    let object = this.draft;
    for (const step of path.slice(0, -1)) object = this.ownObject(object, step);
    setMember(object, member, value);
  }

  /** Sets a field only where the record shows it. */
  setShown(path: string, value: JsonValue): void {
    if (this.get(path) !== undefined) this.set(path, value);
  }

  /** A decimal field, of text or number; zero when there is none. */
  decimal(path: string): Decimal {
    return decimalIn(this.get(path)) ?? ZERO;
  }

  /** The only line of a list; undefined when there are none or several. */
  onlyLine(path: string): JsonObject | undefined {
    const lines = this.get(path);
    if (!isJsonArray(lines) || lines.length !== 1) return undefined;
    const [line] = lines;
    return isJsonObject(line) ? line : undefined;
  }

  get payload(): JsonObject {
    return this.draft;
  }

  private ownObject(parent: Record<string, JsonValue>, member: string): Record<string, JsonValue> {
    const present = ownMember(parent, member);
    const own = present === undefined ? undefined : this.own.get(present);
    if (own !== undefined) return own;
    const made: Record<string, JsonValue> = isJsonObject(present) ? { ...present } : {};
    this.own.set(made, made);
    setMember(parent, member, made);
    return made;
  }
}
