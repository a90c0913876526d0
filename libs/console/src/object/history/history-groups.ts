import type { HistoryEntry } from '@app/client';

/** Entries of a history that show together: one that says something, or neighbours that say nothing new. */
export type HistoryGroup =
  | { readonly kind: 'entry'; readonly entry: HistoryEntry }
  | { readonly kind: 'quiet'; readonly entries: readonly HistoryEntry[] };

const timeStamps: ReadonlySet<string> = new Set(['created_at', 'updated_at']);

/**
 * Whether an entry is a reading in which nothing changed that people look at: time stamps, or what is kept aside. Lines
 * of a document are looked at.
 */
export function isQuiet({ origin, change, fields, records, disagreements, outcomes }: HistoryEntry): boolean {
  return (
    origin.type === 'run' &&
    change === 'changed' &&
    records === undefined &&
    disagreements === undefined &&
    outcomes === undefined &&
    fields.every((change) => timeStamps.has(change.field) || isAside(change))
  );
}

function isAside({ field, before, after }: HistoryEntry['fields'][number]): boolean {
  return field.startsWith('provider_metadata.') && ![before, after].some(hasLines);
}

function hasLines(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'lines' in value;
}

/** Fields of an entry that people look at: none that began empty, and no time stamps. */
export function shownFields({ fields }: HistoryEntry): HistoryEntry['fields'] {
  return fields.filter(
    ({ field, before, after }) =>
      !timeStamps.has(field) && (before !== undefined || (after ?? null) !== null),
  );
}

/** A page of a history, in which readings without a change of a value are one group where they follow each other. */
export function historyGroups(entries: readonly HistoryEntry[]): HistoryGroup[] {
  const groups: HistoryGroup[] = [];
  let quiet: HistoryEntry[] = [];
  for (const entry of entries) {
    if (isQuiet(entry)) {
      quiet.push(entry);
      if (quiet.length === 1) groups.push({ kind: 'quiet', entries: quiet });
    } else {
      quiet = [];
      groups.push({ kind: 'entry', entry });
    }
  }
  return groups;
}
