import type { StoredEntityType } from '@app/mapper';
import type { CustomerTransaction } from '../../database/transaction/store';
import { LinkConstraints, nameOf, type LinkConstraint, type RecordName } from './link-constraints';
import { columns, decisionOf, type DecisionRow } from './stored-decision';

/** The types about whose records decisions stand. Most customers have none. One cheap query. */
export async function decidedTypes(tx: CustomerTransaction): Promise<ReadonlySet<StoredEntityType>> {
  const rows = await tx.query<{ entity_type: StoredEntityType }>(
    'select distinct entity_type from reconciliation_decisions where customer_id = $1 and withdrawn_at is null',
  );
  return new Set(rows.map(({ entity_type: type }) => type));
}

/**
 * Loads the constraints that concern some records: decisions about them, about records linked with them, and about
 * records linked with those from which they are kept apart.
 */
async function constraintsAbout(
  tx: CustomerTransaction,
  entityType: StoredEntityType,
  records: readonly RecordName[],
): Promise<readonly LinkConstraint[]> {
  const constraints = new Map<string, LinkConstraint>();
  const linked = await follow(named(records), () => true);
  const apart = [...constraints.values()]
    .filter(({ decision }) => decision === 'not_same')
    .flatMap((constraint) => constraint.records)
    .filter((record) => !linked.has(nameOf(record)));
  await follow(named(apart), ({ decision }) => decision === 'link');
  return [...constraints.values()];

  /** Collects the decisions about records and about the records that they link. */
  async function follow(
    from: ReadonlyMap<string, RecordName>,
    counts: (constraint: LinkConstraint) => boolean,
  ): Promise<ReadonlySet<string>> {
    const known = new Set(from.keys());
    let next = [...from.values()];
    while (next.length > 0) {
      const rows = await tx.query<DecisionRow>(touching, [
        entityType,
        next.map(({ platform }) => platform),
        next.map(({ platformId }) => platformId),
      ]);
      const found = rows.map(decisionOf).filter(counts);
      for (const constraint of found) constraints.set(constraint.id, constraint);
      const others = found
        .filter(({ decision }) => decision === 'link')
        .flatMap((constraint) => constraint.records)
        .filter((record) => !known.has(nameOf(record)));
      for (const record of others) known.add(nameOf(record));
      next = others;
    }
    return known;
  }
}

function named(records: readonly RecordName[]): ReadonlyMap<string, RecordName> {
  return new Map(records.map((record) => [nameOf(record), record]));
}

/** See {@link constraintsAbout}. */
export async function loadConstraints(
  tx: CustomerTransaction,
  entityType: StoredEntityType,
  records: readonly RecordName[],
): Promise<LinkConstraints> {
  return new LinkConstraints(await constraintsAbout(tx, entityType, records));
}

const asked = 'unnest($3::text[], $4::text[]) as asked (platform, platform_id)';
const standing = 'd.customer_id = $1 and d.entity_type = $2 and d.withdrawn_at is null';
const touching = `
  select ${columns} from ${asked} join reconciliation_decisions d
    on ${standing} and d.platform = asked.platform and d.platform_id = asked.platform_id
  union
  select ${columns} from ${asked} join reconciliation_decisions d
    on ${standing} and d.other_platform = asked.platform and d.other_platform_id = asked.platform_id`;
