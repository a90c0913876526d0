import type { PlatformName, Terms } from '@app/mapper';
import { CUSTOMER_EXISTS } from '../../database/transaction/customer-lock';
import type { CustomerTransaction } from '../../database/transaction/store';
import type { ConnectionMode } from '../../platforms/connector';
import { sourceOf } from '../../platforms/credentials/company';
import type { ConnectedPlatform, EarlierCommand } from '../plan/context/change-context';
import { COMPARISONS_ARE_DUE } from '../../records/changes/due-comparisons.repository';
import { termsColumn } from '../../records/terms/terms.repository';
import { termsFrom } from '../../records/terms/terms-text';
import type { TargetSql } from './locked-object.repository';

/**
 * Loads what a change depends on besides records: the database's time after the locks, the customer's connections and
 * terms, the object's open and held commands, the platforms on which the object's record was deleted, whether the
 * customer has records that are still to be created, and whether the customer exists.
 */
export async function loadChangeConditions(
  tx: CustomerTransaction,
  { id, parameters }: TargetSql,
): Promise<{
  readonly customerExists: boolean;
  /** The database's time as text, with microseconds. */
  readonly at: string;
  /** See {@link COMPARISONS_ARE_DUE}. */
  readonly comparisonsAreDue: boolean;
  readonly connections: readonly ConnectedPlatform[];
  readonly terms: Terms;
  readonly earlier: readonly EarlierCommand[];
  /** Whether the customer has a record that is still to be created. */
  readonly hasCreations: boolean;
  /** Platforms that had a record of the object, and deleted it. */
  readonly goneFrom: readonly PlatformName[];
}> {
  const [row] = await tx.query<{
    customer_exists: boolean;
    at: string;
    comparisons_are_due: boolean;
    connections: ConnectedPlatform[] | null;
    terms: string | null;
    earlier: EarlierCommand[] | null;
    has_creations: boolean;
    gone: DeletedFrom[] | null;
  }>(
    `select ${CUSTOMER_EXISTS} as customer_exists, clock_timestamp()::text as at,
       ${COMPARISONS_ARE_DUE} as comparisons_are_due,
       (select json_agg(json_build_object('platform', platform, 'currency', currency, 'mode', mode, 'settings', (
            select settings from live_connections l where l.customer_id = $1 and l.platform = c.platform and c.mode = 'live')))
          from connections c where customer_id = $1) as connections,
       ${termsColumn()} as terms,
       (select json_agg(json_build_object('platform', platform, 'creates', platform_id is null and base is null, 'held', status = 'held'))
          from outbox_commands where customer_id = $1 and canonical_id = ${id}
            and (decided_at is null or (status = 'held' and platform_id is null and base is null))) as earlier,
       exists (select 1 from outbox_commands
          where customer_id = $1 and decided_at is null and platform_id is null and base is null) as has_creations,
       (select json_agg(json_build_object('platform', d.platform, 'source', d.source, 'mode', c.mode, 'readWith', c.read_with))
          from deleted_records d join connections c on c.customer_id = $1 and c.platform = d.platform
          where d.customer_id = $1 and d.canonical_id = ${id}) as gone`,
    [...parameters],
  );
  if (row === undefined) throw new Error('The database has no time');
  return {
    customerExists: row.customer_exists,
    at: row.at,
    comparisonsAreDue: row.comparisons_are_due,
    connections: row.connections ?? [],
    terms: termsFrom(row.terms),
    earlier: row.earlier ?? [],
    hasCreations: row.has_creations ?? false,
    goneFrom: (row.gone ?? []).filter(isOfSource).map(({ platform }) => platform),
  };
}

/** A deleted record of an object, and its platform's connection as it is now. */
interface DeletedFrom {
  readonly platform: PlatformName;
  readonly source: string | null;
  readonly mode: ConnectionMode;
  readonly readWith: unknown;
}

/** A sandbox or another company that had the record is not the platform that deleted it. One that is not known may be. */
function isOfSource({ source, mode, readWith }: DeletedFrom): boolean {
  return source === null || source === sourceOf(mode, readWith);
}
