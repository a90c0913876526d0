import type { PlatformName, StoredEntityType } from '@app/mapper';
import type { ChangeCause } from '../../records/changes/change-cause';
import type { ReferenceField } from '../../records/platform-records/record-columns';
import { keyGroups, parentColumn } from '../rule/key-groups.sql';

/** A staged reading that is to be published. */
export interface StagedReading {
  readonly runId: string;
  readonly platform: PlatformName;
  /** Whether the platform was never connected before. */
  readonly isFirst: boolean;
  /** Where the records were read from, see `sourceOf`; null if that is not known. */
  readonly source: string | null;
  /** When the reading began, in the database's text form. */
  readonly readingSince: string;
  /** The change cause of publishing it. */
  readonly cause: ChangeCause;
}

/** One type of a reading. Types are processed one after another, parents first. */
export interface MatchingRound extends StagedReading {
  readonly entityType: StoredEntityType;
  /** Whether decisions by people about records of the type stand. */
  readonly decided: boolean;
}

/** The parameters that all statements of a round share after `$1`, the customer: `$2` type, `$3` platform, `$4` run. */
export function parametersOf({ entityType, platform, runId }: MatchingRound): readonly string[] {
  return [entityType, platform, runId];
}

/** The reference columns that each type fills, including its parent's. */
export const referencesOf: Readonly<Record<StoredEntityType, readonly ReferenceField[]>> = {
  project: [],
  // The company that it belongs to.
  customer: ['customer_id'],
  contract: ['project_id', 'customer_id'],
  invoice: ['project_id', 'customer_id', 'contract_id'],
  payment: ['project_id', 'customer_id', 'contract_id', 'invoice_id'],
};

/** SQL condition: a row of `platform_records`, under an alias, belongs to the round. */
export function ofRound(alias: string): string {
  return `${alias}.customer_id = $1 and ${alias}.entity_type = $2 and ${alias}.platform = $3`;
}

/** SQL condition: a row of a staging table, under an alias, belongs to the round. */
export function staged(alias: string): string {
  return `${alias}.customer_id = $1 and ${alias}.entity_type = $2 and ${alias}.run_id = $4`;
}

/** The groups of a round, see `keyGroups`: $1 to $4 of a round, $5 the names of the platforms. New records count too. */
export function groupsOfRound(entityType: StoredEntityType): string {
  const arriving = `
    select $3::text collate "C" as platform, p.platform_id, ${newObject('p')} as canonical_id, p.business_key,
      p.${parentColumn(entityType)} as parent
    from staged_placements p where ${staged('p')} and p.business_key is not null`;
  return keyGroups(entityType, { platforms: '$5::text[]', arriving });
}

/** SQL of the object of a row of `staged_placements` until it is placed: `+` and its native ID. */
export function newObject(alias: string): string {
  return `'+' || ${alias}.platform_id`;
}
