import type { Decided, RecordName } from '../../data/decisions';

/** A record as a heading: `platform_a 1945811`. */
export function nameOf({ platform, platform_id: id }: RecordName): string {
  return `${platform} ${id}`;
}

const verbs: Readonly<Record<Decided['decision'], string>> = {
  link: 'Linked',
  not_same: 'Not the same',
};

/** What was decided, in words. */
export function decisionWords(decision: Decided['decision']): string {
  return verbs[decision];
}

/** What decisions change. */
export interface Effects extends Pick<Decided, 'effects'> {
  /** Whether `records_total` may count a record twice. */
  readonly isUpperBound?: boolean;
}

/**
 * Combines the effects of several decisions. A record that several decisions move counts once, as the first one moves
 * it. If a response does not name all of its records, the unnamed ones may be among the others, so the count is an
 * upper limit.
 */
export function together(results: readonly Effects[]): Effects {
  const named = new Map<string, Decided['effects']['records'][number]>();
  let unnamed = 0;
  for (const { effects } of results) {
    unnamed += effects.records_total - effects.records.length;
    for (const record of effects.records) {
      const name = `${record.entity_type} ${nameOf(record)}`;
      if (!named.has(name)) named.set(name, record);
    }
  }
  return {
    effects: { records: [...named.values()], records_total: named.size + unnamed },
    isUpperBound: results.length > 1 && unnamed > 0,
  };
}

/** What decisions do to records: each of them that moves, from which object to which. */
export function effectWords({ effects }: Pick<Decided, 'effects'>): string[] {
  return effects.records.map(
    ({ entity_type: type, platform, platform_id: id, was, canonical_id: now }) =>
      `The ${type} ${id} of ${platform} moves from ${was} to ${now}.`,
  );
}
