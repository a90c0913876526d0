import { mappingOf } from '../../platforms';

const mapping = mappingOf('platform_a', 'payment');
const dollars = { inheritedCurrency: 'USD', localCurrency: 'QAR' };

describe('a payload that is read once', () => {
  it('has the same content as a direct reading', () => {
    const payload = { id: 7, amount: '5.00', requisition_id: 9, strange: [1] };
    const { residueOf, ...reading } = mapping.readOnce(payload, dollars);
    const { residueOf: sameResidue, ...same } = mapping.read(payload, dollars);
    expect(reading).toEqual(same);
    expect(residueOf()).toEqual(sameResidue());
  });

  it('is not read again', () => {
    const payload = { amount: '5.00' };
    const first = mapping.readOnce(payload, dollars);
    expect(mapping.readOnce(payload, { ...dollars })).toBe(first);
    expect(mapping.readOnce({ ...payload }, dollars)).not.toBe(first);
  });

  it.each([{ inheritedCurrency: 'JPY' }, { localCurrency: 'USD' }])(
    'is read again in other currencies: %j',
    (other) => {
      const payload = { amount: '5' };
      const first = mapping.readOnce(payload, dollars);
      const second = mapping.readOnce(payload, { ...dollars, ...other });
      expect(second).not.toBe(first);
      expect(second.data).toEqual(mapping.read(payload, { ...dollars, ...other }).data);
    },
  );

  it('is read by each mapping for itself', () => {
    const payload = { number: 'X-1' };
    const invoice = mappingOf('platform_a', 'invoice');
    expect(invoice.readOnce(payload, dollars)).not.toBe(mapping.readOnce(payload, dollars));
  });
});
