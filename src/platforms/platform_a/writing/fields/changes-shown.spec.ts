import { changesShownSince, changesNotShown } from './changes-shown';

const change = (path: string, value: string) => ({ path: path.split('.'), value });
const title = change('title', 'New');
const description = change('description', 'Same');
const status = change('status', 'Approved');
const currency = change('currency_configuration.currency_iso_code', 'USD');
const work = (settings: { readonly currency?: string } = {}) => ({
  session: { settings },
  command: { entityType: 'contract' as const, changes: [title, description, status, currency] },
});
const before = { title: 'Old', description: 'Same', status: 'Draft' };
const current = { title: 'New', description: 'Same', status: 'Draft' };

describe('the changes that a record does not show yet', () => {
  it('are not the currency that all contracts of the company have', () => {
    const { changes } = work().command;
    expect(changesNotShown(work(), current, changes)).toEqual([status]);
    expect(changesNotShown(work({ currency: 'USD' }), current, changes)).toEqual([status]);
    expect(changesNotShown(work({ currency: 'EUR' }), current, changes)).toEqual([status, currency]);
  });
});

describe('the fields that an earlier attempt has written', () => {
  it('are those that the record shows now and did not show then', () => {
    expect(
      changesShownSince(work(), before, changesNotShown(work(), current, work().command.changes)),
    ).toEqual([title]);
  });

  it('are none if the earlier record is unknown', () => {
    expect(changesShownSince(work(), undefined, [])).toEqual([]);
  });
});
