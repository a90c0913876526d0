import { labelOf } from './label';

describe('labelOf', () => {
  it('is the number with the name, as far as there are any', () => {
    expect(labelOf({ object: 'payment', check_number: 'CHK-1' } as never)).toBe('CHK-1');
    expect(labelOf({ object: 'project', number: 'P-1', name: 'Tower' } as never)).toBe('P-1 · Tower');
    expect(labelOf({ object: 'invoice', number: null } as never)).toBeUndefined();
  });
});
