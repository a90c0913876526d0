import type { JsonObject, StoredEntityType } from '@app/mapper';
import type { Portfolio } from './counts';

/** What the records of one platform are made from: their number, and what sets its keys apart. */
export interface Shape extends Portfolio {
  /** In keys that the other platform does not have. */
  readonly own: string;
}

/** One record in this many is long, one in so many very long. */
const LONG = { every: 100, characters: 20_000 } as const;
const VERY_LONG = { every: 5_000, characters: 190_000 } as const;

/** One key in this many is used by several records: 5 %. */
const COLLIDING = 20;
/** Records that share a colliding key, unless a portfolio says otherwise. */
const SHARING = 20;

/** Where records are to disagree, one amount in this many does, and one text. */
const OTHER_AMOUNT = 25;
const OTHER_TEXT = 10;

/**
 * The business key of a record. The first half of each type, or the share that is asked for, has the same keys on both
 * platforms, so it links. One key in twenty is used by several records, whose parents have to decide.
 */
export function keyOf(
  prefix: string,
  type: StoredEntityType,
  index: number,
  { counts, own, linked = 0.5, sharing = SHARING }: Shape,
): string {
  if (hasParent(type) && index % COLLIDING === 0) {
    return `${prefix}-SHARED-${Math.floor(index / COLLIDING / sharing)}`;
  }
  return `${prefix}-${index < counts[type] * linked ? '' : own}${String(index).padStart(7, '0')}`;
}

function hasParent(type: StoredEntityType): boolean {
  return type === 'contract' || type === 'invoice' || type === 'payment';
}

/**
 * The parent of a record, as its number among the parents. They are spread so that records that link have parents that
 * link. One customer has half of all documents.
 */
export function parentOf(
  type: StoredEntityType,
  index: number,
  of: StoredEntityType,
  { counts }: Shape,
): number {
  if (type === 'customer' && index % 2 === 1) return 0;
  return Math.floor((index / counts[of]) * counts[type]);
}

/** What platform_b adds to an amount. */
export function offsetOf(index: number, { disagreeing }: Shape): number {
  return disagreeing && index % OTHER_AMOUNT === 1 ? 0.25 : 0;
}

/** A text as platform_b has it. */
export function textOf(text: string, index: number, { disagreeing }: Shape): string {
  return disagreeing && index % OTHER_TEXT === 2 ? `${text}, as the ledger has it` : text;
}

const customFields: JsonObject = Object.fromEntries(
  Array.from({ length: 8 }, (_, index) => [
    `custom_field_${index}`,
    { data_type: 'string', value: `Text that a person wrote into field ${index}` },
  ]),
);
const long = { ...customFields, minutes: 'A person pasted the minutes here. '.repeat(LONG.characters / 34) };
const veryLong = {
  ...customFields,
  minutes: 'A person pasted the minutes here. '.repeat(VERY_LONG.characters / 34),
};

/** What a real platform's record has beside the fields that are mapped: about a kilobyte, now and then very much. */
export function fillerOf(index: number, { slim }: Shape): JsonObject {
  if (slim) return {};
  if (index % VERY_LONG.every === VERY_LONG.every - 1) return veryLong;
  return index % LONG.every === LONG.every - 1 ? long : customFields;
}
