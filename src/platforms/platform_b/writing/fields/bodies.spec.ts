import { pages } from '../../pages/pages';
import { bodyOf } from './bodies';

describe('the body of a payment', () => {
  it('names the currency before the amount, which is rounded to its decimals', () => {
    const wanted = { appliesToInvoiceId: 'i', amount: -1.234, currencyCode: 'BHD', customerId: 'c' };
    const changes = Object.entries(wanted).map(([name, value]) => ({ path: [name], value }));
    const body = bodyOf(pages.payment, changes);
    expect(Object.keys(body)).toEqual(['customerId', 'currencyCode', 'amount', 'appliesToInvoiceId']);
  });
});
