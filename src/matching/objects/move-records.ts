import type { PlatformName, StoredEntityType } from '@app/mapper';
import type { CustomerTransaction } from '../../database/transaction/store';
import { moveDeletedRecords } from '../../records/platform-records/deleted-records.repository';
import { updateRecords } from '../../records/platform-records/platform-records.repository';
import { referenceColumns } from '../../records/platform-records/record-columns';
import { keepVersions, versionBy } from '../../records/changes/record-versions.repository';
import type { ObjectChange } from './object-change';

/** A record that leaves one object and enters another. */
export interface Move {
  readonly platform: PlatformName;
  readonly platformId: string;
  readonly from: string;
  readonly to: string;
}

/**
 * Moves records to other objects, together with the references to them on their platforms. The target object must not
 * have a record of the same platform.
 */
export async function moveRecords(
  tx: CustomerTransaction,
  change: ObjectChange,
  moves: readonly Move[],
): Promise<void> {
  if (moves.length === 0) return;
  await moveColumn(
    tx,
    change,
    moves,
    'canonical_id',
    `${ofType} and r.entity_type = $2 and r.platform_id = moved.platform_id and r.canonical_id = moved.goes`,
  );
  await moveReferences(tx, change, moves);
}

/** Moves the references to records on their platforms, those of deleted records too. */
export async function moveReferences(
  tx: CustomerTransaction,
  change: ObjectChange,
  moves: readonly Move[],
): Promise<void> {
  const { entityType, cause } = change;
  const referring = Object.values(referenceColumns).filter(
    (reference) => reference.entityType === entityType,
  );
  const parameters = parametersOf(entityType, moves);
  for (const { id } of referring) {
    const condition = `${ofType} and r.${id} = moved.goes`;
    await moveColumn(tx, change, moves, id, condition);
    await moveDeletedRecords(tx, { placement: id, moved, condition }, parameters, cause.at);
  }
}

async function moveColumn(
  tx: CustomerTransaction,
  { entityType, cause }: ObjectChange,
  moves: readonly Move[],
  column: string,
  where: string,
): Promise<void> {
  const parameters = [...parametersOf(entityType, moves), cause.at, cause.id];
  keepVersions(tx, `, ${moved} where ${where}`, causeParameters, parameters);
  const set = [`${column} = moved.comes`, versionBy(causeParameters)];
  await updateRecords(tx, { set, from: moved, where }, parameters);
}

/** The values of $2 to $6 for {@link moved}. */
export function parametersOf(
  entityType: StoredEntityType,
  moves: readonly Move[],
): readonly (string | readonly string[])[] {
  return [
    entityType,
    moves.map(({ platform }) => platform),
    moves.map(({ platformId }) => platformId),
    moves.map(({ from }) => from),
    moves.map(({ to }) => to),
  ];
}

/** SQL for moves as rows. $1 customer, $2 type, $3 to $6 platforms, native IDs, objects left and objects entered. */
export const moved = `unnest($3::text[], $4::text[], $5::text[], $6::text[]) as moved (platform, platform_id, goes, comes)`;
const causeParameters = { at: '$7', id: '$8' };
const ofType = `$2::text is not null and r.customer_id = $1 and r.platform = moved.platform`;
