import { CustomerTransaction, type Store } from '../../database/transaction/store';
import { readMoments } from './moments.repository';

describe('readMoments', () => {
  it('compares an ended version with the version in force at that time, not with itself', async () => {
    const sent: string[] = [];
    const query = (sql: string): Promise<[]> => {
      sent.push(sql);
      return Promise.resolve([]);
    };
    const tx = new CustomerTransaction({ query } as unknown as Store, 'a customer'); // It uses no other member.
    await readMoments(tx, 'project_7', { before: 'infinity', limit: 1, since: undefined });
    // Inside of the records at a time, `v` is each of their versions.
    expect(sent).toHaveLength(1);
    expect(sent[0]).toContain('v.until > ended.until');
    expect(sent[0]).not.toContain('v.until > v.until');
  });
});
