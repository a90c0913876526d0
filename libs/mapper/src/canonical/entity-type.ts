/** The kinds of record the service knows, by their prefix in canonical IDs. */
export const idPrefixes = {
  project: 'proj',
  customer: 'cust',
  contract: 'cor',
  invoice: 'inv',
  payment: 'pay',
  employee: 'emp',
  time_entry: 'time',
  change_order: 'chg',
  budget_line_item: 'bud',
} as const;

export type EntityType = keyof typeof idPrefixes;

/** All types, which a preview translates. */
export const entityTypes = Object.keys(idPrefixes) as readonly EntityType[];

/**
 * The types that are stored, in the order in which they are matched: each type's parent (see business-key.ts)
 * comes before it.
 */
export const storedEntityTypes = ['project', 'customer', 'contract', 'invoice', 'payment'] as const;

export type StoredEntityType = (typeof storedEntityTypes)[number];

/** Whether a text names a canonical type. */
export function isEntityType(name: string): name is EntityType {
  return Object.hasOwn(idPrefixes, name);
}

/** Whether objects of a type are stored. */
export function isStoredEntityType(name: EntityType): name is StoredEntityType {
  return storedEntityTypes.some((type) => type === name);
}

/** A type in a sentence, with its article: `an invoice`. */
export function withArticle(entityType: EntityType): string {
  return `${/^[aeiou]/.test(entityType) ? 'an' : 'a'} ${entityType}`;
}
