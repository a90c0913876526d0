import { pathFrom, type JsonPath } from '../json/json-path';
import type { JsonObject } from '../json/json-value';

/**
 * The kind of a native field's values, which decides when two of them are equal: decimals by value, codes without case, IDs by
 * their digits. A `foreign_id` is an ID of another system and is written unchanged.
 */
export type ValueKind =
  | 'text'
  | 'code'
  | 'word'
  | 'boolean'
  | 'integer'
  | 'decimal'
  | 'date'
  | 'time'
  | 'id'
  | 'foreign_id'
  | 'guid'
  | 'object'
  | 'list';

/** Where a call to the platform carries the value of a field. */
export type WritePlace =
  /** In the record itself. */
  | {
      readonly kind: 'member';
      readonly name: string;
      /** The platform takes a JSON number, and shows text. */
      readonly form?: 'number';
      /** Members that go along with it. */
      readonly beside?: JsonObject;
    }
  /** Beside the record, such as the ID of its parent. */
  | { readonly kind: 'scope'; readonly name: string; readonly of: 'project' | 'contract' }
  /** In the record, by an ID that the project has for the company. */
  | { readonly kind: 'project_vendor'; readonly name: string }
  /** In the only line or item that the total follows from. */
  | { readonly kind: 'lines' }
  /** In a separate call. */
  | { readonly kind: 'own_call' }
  /** Nowhere: the record takes it from its parent. */
  | { readonly kind: 'parent' }
  /** Nowhere, and a live platform refuses the change. Only a sandbox makes it. */
  | { readonly kind: 'sandbox' };

/** A state in which the platform locks a record: another system owns it, it is posted, it is released. */
export type LockingState = 'synced' | 'posted' | 'released';

/** One field of a native resource: what it holds, and how it is written. */
export interface NativeField {
  /** Where a record shows it: members joined by points. */
  readonly name: string;
  readonly path: JsonPath;
  readonly kind: ValueKind;
  /** How a new record gets a value; undefined if the platform takes none. */
  readonly creating?: WritePlace;
  /** How an existing record gets another value; undefined if the platform takes none. */
  readonly changing?: WritePlace;
  /**
   * When the service does not write the field although the platform would accept it, for example a number that the
   * platform derives from an ID.
   */
  readonly withheld?: 'always' | 'changing';
  /** Why the field is not written, or not into an existing record: a clause with the field as its subject. */
  readonly why?: string;
  /**
   * Whether records show the field. `sometimes`: a record without it proves nothing. `multi_currency`: only records of
   * companies with several currencies show it.
   */
  readonly echo: 'always' | 'sometimes' | 'multi_currency' | 'never';
  /** A state in which the field can be written although the record is locked. */
  readonly freeWhen?: LockingState;
  /** A state in which the field is locked although others are not. */
  readonly lockedWhen?: LockingState;
}

/** Fields in the order in which the platform checks them. */
export type NativeFields = readonly NativeField[];

/** Fields of one kind that any write may set. */
export function fields(kind: ValueKind, ...names: readonly string[]): NativeFields {
  return names.map((name) => {
    const place: WritePlace = { kind: 'member', name };
    return { name, path: pathFrom(name), kind, creating: place, changing: place, echo: 'always' };
  });
}

/** A field that is written in other places than a member of its own name. */
export function placed(
  kind: ValueKind,
  name: string,
  { creating, changing, why }: Pick<NativeField, 'creating' | 'changing' | 'why'>,
): NativeFields {
  return [
    {
      name,
      path: pathFrom(name),
      kind,
      ...(creating && { creating }),
      ...(changing && { changing }),
      ...(why !== undefined && { why }),
      echo: 'always',
    },
  ];
}

/** A total that is changed through the only line it is the sum of. */
export function throughLines(name: string): NativeFields {
  return placed('decimal', name, { creating: { kind: 'lines' }, changing: { kind: 'lines' } });
}

/** Fields that no client may write. */
export function never(why: string, ...given: readonly NativeFields[]): NativeFields {
  return given.flat().map(({ creating: _creating, changing: _changing, ...field }) => ({ ...field, why }));
}

/** Fields that the platform takes for a new record only. */
export function onlyWhenCreating(why: string, ...given: readonly NativeFields[]): NativeFields {
  return given.flat().map(({ changing: _changing, ...field }) => ({ ...field, why }));
}

/** Fields that a live platform takes for a new record only, and a sandbox at any time. */
export function laterInSandboxesOnly(why: string, ...given: readonly NativeFields[]): NativeFields {
  return given.flat().map((field) => ({ ...field, changing: { kind: 'sandbox' }, why }));
}

/** Fields that the platform would take, and that this service never writes. */
export function withheld(why: string, ...given: readonly NativeFields[]): NativeFields {
  return given.flat().map((field) => ({ ...field, withheld: 'always', why }));
}

/** Fields that this service gives to new records only, although the platform would take a change. */
export function withheldAfterCreation(why: string, ...given: readonly NativeFields[]): NativeFields {
  return given.flat().map((field) => ({ ...field, withheld: 'changing', why }));
}

/** Fields that not every record shows. */
export function echoed(echo: NativeField['echo'], ...given: readonly NativeFields[]): NativeFields {
  return given.flat().map((field) => ({ ...field, echo }));
}

/** Fields that the platform takes and that no record shows. */
export function notEchoed(...given: readonly NativeFields[]): NativeFields {
  return echoed('never', ...given);
}

/** Fields that can be written although the record is in a state that locks it. */
export function freeWhen(state: LockingState, ...given: readonly NativeFields[]): NativeFields {
  return given.flat().map((field) => ({ ...field, freeWhen: state }));
}

/** Fields that are locked while the record is in a state that leaves others free. */
export function lockedWhen(state: LockingState, ...given: readonly NativeFields[]): NativeFields {
  return given.flat().map((field) => ({ ...field, lockedWhen: state }));
}
