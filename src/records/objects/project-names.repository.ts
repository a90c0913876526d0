import { assembleFields } from '@app/mapper';
import type { CustomerTransaction } from '../../database/transaction/store';
import { recordsAt } from '../changes/record-versions.repository';
import { loadTerms } from '../terms/terms.repository';
import { byObject, copyQuery, objectFrom, type CopyRow } from './copy-rows';

/** Number of projects whose records are read at a time: each may be large. */
const READ_AT_ONCE = 4;

const { columns, joins } = copyQuery('project', '$3');
const projectsAt = `
  select ${columns} from ${recordsAt('$3')} r ${joins}
  where r.entity_type = 'project' and r.canonical_id = any ($2::text[])`;

/**
 * The names of projects at a time, by canonical ID. A project without a record or a name has no entry.
 *
 * @param ids each once
 * @param time in UTC, with microseconds
 */
export async function projectNames(
  tx: CustomerTransaction,
  ids: readonly string[],
  time: string,
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  if (ids.length === 0) return names;
  const { precedence } = await loadTerms(tx, time);
  for (let place = 0; place < ids.length; place += READ_AT_ONCE) {
    const some = ids.slice(place, place + READ_AT_ONCE);
    for (const rows of byObject(await tx.query<CopyRow>(projectsAt, [some, time]))) {
      const { name } = assembleFields(objectFrom(rows), ['name'], precedence);
      if (typeof name === 'string') names.set(rows[0].canonical_id, name);
    }
  }
  return names;
}
