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

/** The effects of several decisions as one. */
export function together(results: readonly Pick<Decided, 'effects'>[]): Pick<Decided, 'effects'> {
  return {
    effects: {
      records: results.flatMap(({ effects }) => effects.records),
      records_total: results.reduce((sum, { effects }) => sum + effects.records_total, 0),
    },
  };
}

/** What decisions do to records: each of them that moves, from which object to which. */
export function effectWords({ effects }: Pick<Decided, 'effects'>): string[] {
  return effects.records.map(
    ({ entity_type: type, platform, platform_id: id, was, canonical_id: now }) =>
      `The ${type} ${id} of ${platform} moves from ${was} to ${now}.`,
  );
}
