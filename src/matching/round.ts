import { keyRules, type PlatformName, type StoredEntityType } from '@app/mapper';
import type { ChangeCause } from '../records/changes';
import type { StandingDecisions } from './standing';
import { referenceColumns, type ReferenceField } from '../records/record-columns';

/** A reading that is to become visible. */
export interface StagedReading {
  readonly customerId: string;
  readonly runId: string;
  readonly platform: PlatformName;
  /** Whether the platform was never connected before. */
  readonly isFirst: boolean;
  /** When the reading began, as the database writes it. */
  readonly readingSince: string;
  /** The change that making it visible is. */
  readonly cause: ChangeCause;
}

/** One type of a reading; types come one after the other, parents first. */
export interface MatchingRound extends StagedReading {
  readonly entityType: StoredEntityType;
  /** Decisions by people that stand about records of the type; undefined where there are none. */
  readonly standing: StandingDecisions | undefined;
}

/** The parameters that statements of a round share: $1 customer, $2 type, $3 platform, $4 run. */
export function parametersOf({ customerId, entityType, platform, runId }: MatchingRound): readonly string[] {
  return [customerId, entityType, platform, runId];
}

/** Which columns of references a type of record fills; the parent's is among them. */
export const referencesOf: Readonly<Record<StoredEntityType, readonly ReferenceField[]>> = {
  project: [],
  // The company that it belongs to.
  customer: ['customer_id'],
  contract: ['project_id', 'customer_id'],
  invoice: ['project_id', 'customer_id', 'contract_id'],
  payment: ['project_id', 'customer_id', 'contract_id', 'invoice_id'],
};

/** The column that decides among equal keys; for a type without parents, one that none of its records fills. */
export function parentColumn(entityType: StoredEntityType): string {
  const parent = keyRules[entityType].parent ?? 'invoice_id';
  return referenceColumns[parent as ReferenceField].id;
}

/** The condition that a row of `platform_records`, under an alias, is of the round. */
export function ofRound(alias: string): string {
  return `${alias}.customer_id = $1 and ${alias}.entity_type = $2 and ${alias}.platform = $3`;
}

/** The condition that a row of a staging table, under an alias, is of the round. */
export function staged(alias: string): string {
  return `${alias}.customer_id = $1 and ${alias}.entity_type = $2 and ${alias}.run_id = $4`;
}
