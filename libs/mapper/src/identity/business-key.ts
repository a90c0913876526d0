import { hash } from 'node:crypto';
import type { EntityType, StoredEntityType } from '../canonical/entity-type';
import { isStorableText } from '../json/storable-text';
import { ownMember, type JsonObject } from '../json/json-value';

interface KeyRule {
  /** Canonical fields that serve as key, the first that has a value. A kind keeps values of two fields apart. */
  readonly fields: readonly { readonly field: string; readonly kind?: string }[];
  /** Canonical reference to the parent that decides among equal keys. */
  readonly parent?: string;
}

/** The fields by which two records of a type are one thing. */
export const keyRules: Readonly<Record<StoredEntityType, KeyRule>> = {
  project: { fields: [{ field: 'number' }] },
  customer: {
    fields: [
      { field: 'tax_id', kind: 'tax' },
      { field: 'name', kind: 'name' },
    ],
  },
  contract: { fields: [{ field: 'number' }], parent: 'project_id' },
  invoice: { fields: [{ field: 'number' }], parent: 'customer_id' },
  payment: { fields: [{ field: 'check_number' }], parent: 'invoice_id' },
};

/** A record's business key: as the record has it, and in the form in which keys are compared. */
export interface BusinessKey {
  readonly field: string;
  readonly text: string;
  readonly normal: string;
}

/** The business key of canonical data; undefined when it has none, or the type has no business key. */
export function businessKeyOf(entityType: EntityType, data: JsonObject): BusinessKey | undefined {
  for (const { field, kind } of ruleOf(entityType)?.fields ?? []) {
    const text = ownMember(data, field);
    if (typeof text !== 'string') continue;
    const normal = normaliseKey(text);
    if (normal !== undefined)
      return { field, text, normal: kind === undefined ? normal : `${kind}:${normal}` };
  }
  return undefined;
}

/** The canonical fields that a type's business key can come from. */
export function keyFieldsOf(entityType: EntityType): readonly string[] {
  return ruleOf(entityType)?.fields.map(({ field }) => field) ?? [];
}

// A longer key would not fit an index entry; its digest compares just as well.
const LONGEST_KEY = 200;

// NFKC makes eighteen characters of some. A text that is longer than this is no number and no name, and is compared as
// it is written.
const LONGEST_TEXT = 1000;

// ASCII letters, digits and punctuation with single spaces between: nothing to normalise but the case.
const plainKey = /^[!-~]+(?: [!-~]+)*$/;

/**
 * The form in which keys are compared: Unicode NFKC, case folded, trimmed, white space and control characters
 * collapsed to one space each. Punctuation and leading zeros count. A text of more than 1,000 characters meets only
 * the same text. Undefined for a key that is empty then, or that no database could store.
 */
export function normaliseKey(text: string): string | undefined {
  if (text.length <= LONGEST_KEY && plainKey.test(text)) return text.toLowerCase();
  if (!isStorableText(text)) return undefined;
  if (text.length > LONGEST_TEXT) return text.trim() === '' ? undefined : digestOf(text);
  const normal = foldText(text);
  if (normal === '') return undefined;
  return normal.length <= LONGEST_KEY ? normal : digestOf(normal);
}

/** Unicode NFKC, case folded, trimmed, white space and control characters collapsed to one space each. */
export function foldText(text: string): string {
  const folded = foldCase(text.normalize('NFKC')).normalize('NFKC');
  return folded.replace(/[\s\p{Cc}]+/gu, ' ').trim();
}

function digestOf(text: string): string {
  return `sha256:${hash('sha256', text, 'hex')}`;
}

/**
 * Joins what Unicode's default case folding joins (CaseFolding.txt, C and F), and nothing else. JavaScript has no case
 * folding, so this goes through upper case, where ß meets SS and final sigma meets sigma; and from lower case, because
 * ẞ has no upper case but itself. The one letter whose upper case is another letter's, and that folding leaves alone,
 * is the dotless ı.
 */
export function foldCase(text: string): string {
  return text
    .split('ı')
    .map((part) => part.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ'))
    .join('ı');
}

function ruleOf(entityType: EntityType): KeyRule | undefined {
  return (keyRules as Partial<Record<EntityType, KeyRule>>)[entityType];
}
