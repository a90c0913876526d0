import type { NativeChange } from '@app/mapper';
import { sentOf } from './sent';

const change = (path: string, value: string | number): NativeChange => ({ path: path.split('.'), value });

describe('the changes that a write sends', () => {
  it('are all changes of a new record', () => {
    const changes = [change('project_id', 7), change('status', 'draft')];
    expect(sentOf('invoice', changes, undefined)).toEqual(changes);
  });

  it('leave out the currency that a new invoice takes from its contract', () => {
    const status = change('status', 'draft');
    const currency = change('currency_configuration.currency_iso_code', 'USD');
    expect(sentOf('invoice', [currency, status], undefined)).toEqual([status]);
    expect(sentOf('contract', [currency, status], undefined)).toEqual([currency, status]);
  });

  it('are those that an existing record does not show yet, or never shows', () => {
    const status = change('status', 'approved');
    const uploads = change('upload_ids', '1');
    const shown = change('invoice_number', 'A-1');
    const current = { status: 'draft', invoice_number: 'A-1' };
    expect(sentOf('invoice', [shown, status, uploads], current)).toEqual([status, uploads]);
  });
});
