import type { StoredEntityType } from '@app/mapper';
import type { CustomerTransaction } from '../database/transaction/store';

/** Which kinds of decisions by people stand about the records of a type. */
export interface StandingDecisions {
  readonly links: boolean;
  readonly apart: boolean;
}

/** The types with standing decisions, which most customers do not have. One cheap query. */
export async function standingDecisions(
  tx: CustomerTransaction,
): Promise<ReadonlyMap<StoredEntityType, StandingDecisions>> {
  const rows = await tx.query<StandingDecisions & { entity_type: StoredEntityType }>(
    `select entity_type, bool_or(decision = 'link') as links, bool_or(decision = 'not_same') as apart
     from reconciliation_decisions where customer_id = $1 and withdrawn_at is null group by entity_type`,
  );
  return new Map(rows.map(({ entity_type, links, apart }) => [entity_type, { links, apart }]));
}

/**
 * Standing decisions as common table expressions of a `with recursive`: $1 customer, $2 type.
 *
 * - `units`: every record that a decision names, and the unit that it belongs to. Records that decisions link, directly or
 *   through others, are one unit, also while some of them are not there.
 * - `ruled_out`: pairs of units that decisions keep apart, both ways round.
 * - `decided`: for each record, the platforms its unit takes up (`spot`) and the units it is kept apart from (`against`,
 *   or null), all combinations.
 */
export const decidedClusters = `
  edges as (
    select d.platform, d.platform_id, d.other_platform, d.other_platform_id, d.decision from reconciliation_decisions d
    where d.customer_id = $1 and d.entity_type = $2 and d.withdrawn_at is null
    union all
    select d.other_platform, d.other_platform_id, d.platform, d.platform_id, d.decision from reconciliation_decisions d
    where d.customer_id = $1 and d.entity_type = $2 and d.withdrawn_at is null
  ),
  reached (platform, platform_id, unit) as (
    select e.platform, e.platform_id, e.platform || ' ' || e.platform_id from edges e
    union
    select e.other_platform, e.other_platform_id, r.unit
    from reached r join edges e on e.platform = r.platform and e.platform_id = r.platform_id and e.decision = 'link'
  ),
  units as (select platform, platform_id, min(unit) as unit from reached group by platform, platform_id),
  ruled_out as (
    select distinct u.unit, o.unit as other from edges e
    join units u on u.platform = e.platform and u.platform_id = e.platform_id
    join units o on o.platform = e.other_platform and o.platform_id = e.other_platform_id
    where e.decision = 'not_same'
  ),
  decided as (
    select u.platform, u.platform_id, u.unit, spots.platform as spot, r.other as against
    from units u join units spots on spots.unit = u.unit left join ruled_out r on r.unit = u.unit
  )`;
