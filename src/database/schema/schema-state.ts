import { MIGRATIONS } from './migrate';
import type { Store } from '../transaction/store';

/**
 * Whether the schema has everything that this release needs; it may have more, from a newer one.
 *
 * @throws QueryFailedError when nothing was ever migrated there
 */
export async function isUpToDate(store: Store): Promise<boolean> {
  const names = MIGRATIONS.map(({ name }) => name);
  const applied = await store.query('select from migrations where name = any ($1)', [names]);
  return applied.length === names.length;
}
