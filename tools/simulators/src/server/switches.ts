import type { JsonObject } from '@app/mapper';

export type SwitchValue = boolean | number | string;

/** A behaviour of a platform that is not confirmed, or that differs between tenants. */
export interface SwitchDefinition<Value extends SwitchValue> {
  readonly default: Value;
  /** The permitted values; when absent, any value of the default's type. */
  readonly values?: readonly Value[];
  /** The effect of the switch in one sentence, shown on the control port. */
  readonly about: string;
}

export type SwitchDefinitions<Values extends object> = {
  readonly [Name in keyof Values]: Values[Name] extends SwitchValue ? SwitchDefinition<Values[Name]> : never;
};

/** An invalid value of a switch, or an unknown switch. The message is for the person who set it. */
export class SwitchError extends Error {}

/**
 * The switches of a simulator: `const board = new SwitchBoard<MySwitches>(definitions, { lockedByDefault: true })`,
 * then `board.get('lockedByDefault')`. Values may change at any time, so read them at each use.
 */
export class SwitchBoard<Values extends object> {
  private readonly values: Values;

  constructor(
    private readonly definitions: SwitchDefinitions<Values>,
    initial: Partial<Values> = {},
  ) {
    const defaults = Object.entries<SwitchDefinition<SwitchValue>>(definitions).map(
      ([name, definition]) => [name, definition.default] as const,
    );
    // The definitions have exactly the names of the values, each with a default of its type.
    this.values = Object.fromEntries(defaults) as Values;
    this.setAll(initial);
  }

  get<Name extends keyof Values>(name: Name): Values[Name] {
    return this.values[name];
  }

  set<Name extends keyof Values & string>(name: Name, value: Values[Name]): void {
    const definition: SwitchDefinition<SwitchValue> | undefined = Object.hasOwn(this.definitions, name)
      ? this.definitions[name]
      : undefined;
    if (definition === undefined) throw new SwitchError(`There is no switch "${name}"`);
    if (typeof value !== typeof definition.default) {
      throw new SwitchError(`"${name}" takes a ${typeof definition.default}`);
    }
    if (definition.values !== undefined && !definition.values.some((possible) => possible === value)) {
      throw new SwitchError(`"${name}" is one of ${definition.values.join(', ')}`);
    }
    this.values[name] = value;
  }

  /**
   * Sets the given switches.
   *
   * @throws SwitchError for an unknown name or an invalid value
   */
  setAll(values: Partial<Values> | JsonObject): void {
    for (const [name, value] of Object.entries(values)) {
      // {@link set} refuses unknown names and invalid values.
      if (value !== undefined)
        this.set(name as keyof Values & string, value as Values[keyof Values & string]);
    }
  }

  toJson(): JsonObject {
    return Object.fromEntries(
      Object.entries<SwitchDefinition<SwitchValue>>(this.definitions).map(([name, definition]) => [
        name,
        {
          value: this.values[name as keyof Values] as SwitchValue,
          default: definition.default,
          ...(definition.values === undefined ? {} : { values: definition.values }),
          about: definition.about,
        },
      ]),
    );
  }
}

/**
 * Converts values from text to the types of the defaults: `{ spikeLimit: '0' }` gives `{ spikeLimit: 0 }`.
 *
 * @throws SwitchError for an unknown name or an invalid value
 */
export function switchesFromText<Values extends object>(
  definitions: SwitchDefinitions<Values>,
  texts: ReadonlyMap<string, string>,
): Partial<Values> {
  const known = new Map(Object.entries<SwitchDefinition<SwitchValue>>(definitions));
  const values = [...texts].map(([name, text]) => {
    const definition = known.get(name);
    if (definition === undefined) throw new SwitchError(`There is no switch "${name}"`);
    return [name, valueFromText(name, definition, text)];
  });
  // Each name is a switch. The board checks that each value is permitted.
  const read = Object.fromEntries(values) as Partial<Values>;
  new SwitchBoard(definitions, read);
  return read;
}

function valueFromText(name: string, definition: SwitchDefinition<SwitchValue>, text: string): SwitchValue {
  // If numbers and texts are both permitted, such as 409 and "own", the list of values decides.
  const listed = definition.values?.find((value) => String(value) === text);
  if (listed !== undefined) return listed;
  if (definition.values !== undefined)
    throw new SwitchError(`"${name}" is one of ${definition.values.join(', ')}`);
  if (typeof definition.default === 'string') return text;
  if (typeof definition.default === 'boolean') {
    if (text === 'true' || text === 'false') return text === 'true';
    throw new SwitchError(`"${name}" is true or false`);
  }
  if (!/^\d{1,12}$/.test(text)) throw new SwitchError(`"${name}" is a whole number, not below 0`);
  return Number(text);
}
