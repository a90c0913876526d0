import { CustomerTransaction, type Store } from '../../database/transaction/store';
import { saveOwnRecords, saveRecords } from './platform-records.repository';
import type { StoredCopy } from '../loaded-object';

const payload = { id: 7, name: 'North tower' };
const copy: StoredCopy = {
  platform: 'platform_a',
  platformId: '7',
  variant: null,
  payload,
  known: payload,
  payloadText: JSON.stringify(payload),
  accepted: null,
  inheritedCurrency: 'USD',
  localCurrency: 'USD',
  references: {},
};
const object = { id: 'project_7', entityType: 'project' } as const;
const cause = { id: '5b0a2c1e-8f4d-4c59-9a53-0c1d6b7e2f10', at: '2026-01-01 00:00:00+00' };

describe('storing the records of an object', () => {
  it('takes what an update sets from the row, never from a parameter', async () => {
    const sent: string[] = [];
    const take = (sql: string): Promise<[]> => {
      sent.push(sql);
      return Promise.resolve([]);
    };
    const store = { query: take, queryLater: take } as unknown as Store;
    const tx = new CustomerTransaction(store, 'a customer');
    await saveRecords(tx, object, [copy], cause);
    saveOwnRecords(tx, object, [copy], cause);

    const updates = sent.flatMap((sql) => sql.split('do update set').slice(1));
    expect(updates).toHaveLength(2);
    for (const update of updates) {
      expect(update).toContain('since = excluded.since, changed_by = excluded.changed_by');
      // A cluster refuses an insert that selects with a parameter there (decision 34).
      expect(update).not.toMatch(/\$\d/);
    }
  });
});
