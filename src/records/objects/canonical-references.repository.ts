import type { CustomerTransaction } from '../../database/transaction/store';
import type { AliasMove } from './aliases.repository';
import type { Merges } from './merges';
import type { ChangeCause } from '../changes/change-cause';
import { updateRecords } from '../platform-records/platform-records.repository';
import { referenceColumns } from '../platform-records/record-columns';
import { keepVersions, versionBy } from '../changes/record-versions.repository';

/**
 * Every column that names a canonical object and changes when that object is merged into another. A new column of this
 * kind needs a line here; a test compares the list with the schema.
 */
export const canonicalReferences: readonly { readonly table: string; readonly column: string }[] = [
  { table: 'platform_records', column: 'canonical_id' },
  ...Object.values(referenceColumns).map(({ id }) => ({ table: 'platform_records', column: id })),
  { table: 'deleted_records', column: 'canonical_id' },
  ...Object.values(referenceColumns).map(({ id }) => ({ table: 'deleted_records', column: id })),
  { table: 'canonical_aliases', column: 'canonical_id' },
  { table: 'propagations', column: 'canonical_id' },
  { table: 'outbox_commands', column: 'canonical_id' },
];

/** The tables of changes and their commands. Their rows keep the object that they were made for, from its first merge on. */
const tablesOfChanges: readonly string[] = ['propagations', 'outbox_commands'];

/**
 * Replaces the IDs of merged objects by the IDs of the remaining ones in every reference. Changed records keep their
 * version before. This is the only place that writes several tables; {@link canonicalReferences} names them, and the
 * update is the same for each.
 *
 * @param references the entries of {@link canonicalReferences} that can name objects of the type
 */
export async function followMerges(
  tx: CustomerTransaction,
  { relation, condition, parameters }: Merges,
  { at, id }: ChangeCause,
  references: typeof canonicalReferences,
): Promise<void> {
  const cause = { at: `$${parameters.length + 2}`, id: `$${parameters.length + 3}` };
  for (const { table, column } of references) {
    const where = `r.customer_id = $1 and r.${column} = m.goes and ${condition}`;
    if (table === 'platform_records') {
      const values = [...parameters, at, id];
      keepVersions(tx, `, ${relation} where ${where}`, cause, values);
      await updateRecords(
        tx,
        { set: [`${column} = m.stays`, versionBy(cause)], from: relation, where },
        values,
      );
      continue;
    }
    // A read of a past time shows the writes that were open then, with the object that they were made for. If the records of that
    // object get its ID back, its changes come back too.
    const madeFor = tablesOfChanges.includes(table) ? ', made_for = coalesce(r.made_for, m.goes)' : '';
    await tx.query(
      `update ${table} r set ${column} = m.stays${madeFor} from ${relation} where ${where}`,
      parameters,
    );
  }
}

/**
 * Attributes changes and their commands to the objects that their former IDs name now: those that were made for an object
 * before its merge. Both are rows that a merge had attributed to the remaining object.
 */
export async function followPartedAliases(
  tx: CustomerTransaction,
  aliases: readonly AliasMove[],
): Promise<void> {
  const moved = aliases.filter(({ from, to }) => from !== to);
  if (moved.length === 0) return;
  for (const table of tablesOfChanges) {
    await tx.query(
      `update ${table} r set canonical_id = moved.comes
       from unnest($2::text[], $3::text[], $4::text[]) as moved (id, goes, comes)
       where r.customer_id = $1 and r.canonical_id = moved.goes and r.made_for = moved.id`,
      [moved.map(({ id }) => id), moved.map(({ from }) => from), moved.map(({ to }) => to)],
    );
  }
}
