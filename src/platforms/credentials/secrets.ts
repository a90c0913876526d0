import { inspect } from 'node:util';

const PLACEHOLDER = '[secrets]';

/**
 * Secret values by name. However the object is printed, it shows a placeholder. Only {@link reveal} returns a value.
 */
export class Secrets {
  // Private to the engine: no spread, no walk over properties and no debugger's listing meets the values.
  readonly #values: ReadonlyMap<string, string>;

  constructor(values: Readonly<Record<string, string>>) {
    this.#values = new Map(Object.entries(values));
  }

  /** Which secrets there are. */
  get names(): readonly string[] {
    return [...this.#values.keys()];
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  /**
   * The value of a secret. Ask for it where it is sent, and keep it nowhere.
   *
   * @throws RangeError when there is no such secret
   */
  reveal(name: string): string {
    const value = this.#values.get(name);
    if (value === undefined) throw new RangeError(`There is no secret ${name}`);
    return value;
  }

  toString(): string {
    return PLACEHOLDER;
  }

  toJSON(): string {
    return PLACEHOLDER;
  }

  [inspect.custom](): string {
    return PLACEHOLDER;
  }
}
