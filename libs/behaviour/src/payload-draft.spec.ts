import { ExactNumber } from '@app/mapper';
import { PayloadDraft } from './payload-draft';

describe('PayloadDraft', () => {
  it('changes a copy, however deep', () => {
    const payload = { summary: { due: '1.00', tax: '0' }, other: 1 };
    const draft = new PayloadDraft(payload);
    draft.set('summary.due', '2.00');
    draft.setAt(['a.b', 'c'], 3);
    expect(payload).toEqual({ summary: { due: '1.00', tax: '0' }, other: 1 });
    expect(draft.payload).toEqual({ summary: { due: '2.00', tax: '0' }, other: 1, 'a.b': { c: 3 } });
  });

  it('sets a shown field only where it is shown', () => {
    const draft = new PayloadDraft({ there: null });
    draft.setShown('there', 'x');
    draft.setShown('elsewhere', 'x');
    expect(draft.payload).toEqual({ there: 'x' });
  });

  it.each([
    ['12.50', 1250n, 2],
    [12.5, 125n, 1],
    [new ExactNumber('12345678901234567890.5'), 123456789012345678905n, 1],
    ['abc', 0n, 0],
    [null, 0n, 0],
    [undefined, 0n, 0],
  ])('reads %s as a decimal', (value, units, scale) => {
    const draft = new PayloadDraft(value === undefined ? {} : { amount: value });
    expect(draft.decimal('amount')).toEqual({ units, scale });
  });

  it('gives the only line of a list', () => {
    expect(new PayloadDraft({ lines: [{ id: 1 }] }).onlyLine('lines')).toEqual({ id: 1 });
    for (const lines of [[], [{}, {}], ['x'], 'x', null]) {
      expect(new PayloadDraft({ lines }).onlyLine('lines')).toBeUndefined();
    }
  });
});
