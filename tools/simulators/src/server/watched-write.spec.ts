import { startPlatformA } from '../platform_a';
import { startPlatformB } from '../platform_b';
import type { WatchedWrite } from './watched-write';

describe('watching writes', () => {
  const writes: WatchedWrite[] = [];
  const watch = (write: WatchedWrite): void => void writes.push(write);
  beforeEach(() => void writes.splice(0));

  it('shows a record of platform_a before and after each, and nothing of the start', async () => {
    const platform = await startPlatformA({ watch });
    try {
      expect(writes).toEqual([]);
      platform.control.edit('change_record', { kind: 'vendors', id: 501004, set: { city: 'Doha North' } });
      platform.control.edit('delete_record', { kind: 'vendors', id: 501004 });
      expect(writes).toMatchObject([
        {
          by: 'edit',
          table: 'vendors',
          id: '501004',
          before: { city: 'Doha' },
          after: { city: 'Doha North' },
        },
        { by: 'edit', table: 'vendors', id: '501004', before: { city: 'Doha North' }, after: undefined },
      ]);
    } finally {
      await platform.close();
    }
  });

  it('shows a row of platform_b before and after each, and nothing of the start', async () => {
    const platform = await startPlatformB({ watch });
    const id = 'f49ae22a-7deb-4f4b-ba67-c8e09edcf190';
    try {
      expect(writes).toEqual([]);
      platform.control.edit('update', { table: 'customers', id, fields: { city: 'Doha North' } });
      platform.control.edit('insert', { table: 'customers', fields: { number: 'C77' } });
      expect(writes).toMatchObject([
        { by: 'edit', table: 'customers', id, before: { city: 'Doha' }, after: { city: 'Doha North' } },
        { by: 'edit', table: 'customers', before: undefined, after: { number: 'C77' } },
      ]);
    } finally {
      await platform.close();
    }
  });
});
