import type { CustomerTransaction } from '../../database/transaction/store';
import { contentColumns, referenceColumns } from '../../records/platform-records/record-columns';
import { hasRecord, updateRecords } from '../../records/platform-records/platform-records.repository';
import { keepVersions, versionBy } from '../../records/changes/record-versions.repository';
import { follow, targetOf } from './references.sql';
import { ofRound, parametersOf, referencesOf, staged, type MatchingRound } from './matching-round';

// $1 to $4 are the parameters of the round, $5 is when the reading began, $6 and $7 are the time and the ID of the change.
const replacing = { at: '$6', id: '$7' };
const changedPayload = '(r.payload::text <> s.payload::text or r.variant is distinct from s.variant)';
const changedDigest = 'r.digest is distinct from s.digest';
// A write of this service removes the digest and keeps the platform's time of the last change. The other derived
// columns are the same then.
const derived = contentColumns.filter(
  (column) => !['payload', 'variant', 'digest', 'modified_at', 'amount_order'].includes(column),
);
const isEcho = `(r.digest is null and r.written_at is not null and not ${changedPayload}
    and ${derived.map((column) => `r.${column} is not distinct from s.${column}`).join(' and ')})`;
// A write of this service that was recorded after the reading began is newer than the read record. An open write knows
// the future record better than the reading.
const isSource = `${ofRound('r')} and ${staged('s')} and s.platform_id = r.platform_id
    and r.accepted is null and (r.written_at is null or r.written_at < $5::timestamptz)`;

/**
 * Replaces stored records whose source has another payload now, and keeps versions of the replaced records. Their
 * references are resolved again later. Then it updates the columns of records whose source has not changed, if an
 * earlier release or another currency of the connection decoded them, or if they were not decoded since a write of this
 * service. A record that the platform returned as that write left it keeps its version.
 *
 * @returns the number of records with another payload
 */
export async function replaceStored(tx: CustomerTransaction, round: MatchingRound): Promise<number> {
  const { entityType, readingSince, cause } = round;
  const parameters = [...parametersOf(round), readingSince, cause.at, cause.id];
  const selection = `, staged_records s where ${isSource} and (${changedPayload} or ${changedDigest})
    and not ${isEcho}`;
  keepVersions(tx, selection, replacing, parameters);
  const set = [
    ...contentColumns.map((column) => `${column} = s.${column}`),
    ...referencesOf[entityType]
      .map((field) => referenceColumns[field])
      .map(({ ref, id }) => `${id} = case when r.${ref} is not distinct from s.${ref} then r.${id} end`),
  ];
  const replace = (condition: string, version: string) =>
    updateRecords(
      tx,
      { set: [...set, version], from: 'staged_records s', where: `${isSource} and ${condition}` },
      parameters,
    );
  const changed = await replace(changedPayload, versionBy(replacing));
  await replace(
    changedDigest,
    `since = case when ${isEcho} then r.since else ${replacing.at}::timestamptz end,
     changed_by = case when ${isEcho} then r.changed_by else ${replacing.id}::uuid end`,
  );
  return changed;
}

/** Follows stored references that led nowhere before, and now do. */
export async function followStored(
  tx: CustomerTransaction,
  { entityType, platform, cause }: MatchingRound,
): Promise<void> {
  const open = referencesOf[entityType].map((field) => {
    const { ref, id } = referenceColumns[field];
    return `(r.${ref} is not null and r.${id} is null)`;
  });
  if (open.length === 0) return;
  if (!(await hasRecord(tx, `${ofRound('r')} and (${open.join(' or ')})`, [entityType, platform]))) return;
  const fields = referencesOf[entityType];
  const each = (text: (columns: { ref: string; id: string }) => string) =>
    fields.map((field) => text(referenceColumns[field]));
  const following = { at: '$4', id: '$5' };
  const found = `(
    select r.platform_id, ${fields.map((field) => `${targetOf(field)} as ${referenceColumns[field].id}`).join(', ')}
    from platform_records r ${fields.map((field) => follow(field, 'r')).join('')}
    where ${ofRound('r')} and (${each(({ ref, id }) => `(r.${ref} is not null and r.${id} is null)`).join(' or ')})
  ) found`;
  const where = `${ofRound('r')} and r.platform_id = found.platform_id
    and (${each(({ id }) => `(r.${id} is null and found.${id} is not null)`).join(' or ')})`;
  const parameters = [entityType, platform, cause.at, cause.id];
  keepVersions(tx, `, ${found} where ${where}`, following, parameters);
  const set = [...each(({ id }) => `${id} = coalesce(r.${id}, found.${id})`), versionBy(following)];
  await updateRecords(tx, { set, from: found, where }, parameters);
}
