import { DatabaseUnavailable } from '../../database/connection/database-errors';
import { forEachCustomer } from './each-customer';

describe('forEachCustomer()', () => {
  it('goes on behind a customer whose work fails, and throws what failed at the end', async () => {
    const done: string[] = [];
    const problem = new Error('not for this one');
    const all = forEachCustomer(['one', 'two', 'three'], undefined, (customer) => {
      if (customer === 'two') return Promise.reject(problem);
      return Promise.resolve(void done.push(customer));
    });
    await expect(all).rejects.toMatchObject({
      message: 'The work failed for 1 of 3 customers',
      errors: [problem],
    });
    expect(done).toEqual(['one', 'three']);
  });

  it('ends at once without the database, and when it is to stop', async () => {
    const gone = new DatabaseUnavailable('gone');
    const asked: string[] = [];
    const ask = (customer: string): Promise<void> => {
      asked.push(customer);
      return Promise.reject(gone);
    };
    await expect(forEachCustomer(['one', 'two'], undefined, ask)).rejects.toBe(gone);
    await forEachCustomer(['three'], AbortSignal.abort(), ask);
    expect(asked).toEqual(['one']);
  });
});
