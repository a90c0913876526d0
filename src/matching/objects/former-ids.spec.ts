import type { StandingAlias } from '../../records/objects/aliases.repository';
import { aliasMoves, byHolder, formerIdOf } from './former-ids';

const one = { platform: 'platform_a', platformId: '1' } as const;
const other = { platform: 'platform_b', platformId: 'b1' } as const;
const alias = (
  id: string,
  holder: StandingAlias['holder'],
  { mergedInto = 'z', heldUntil = '1' }: { mergedInto?: string; heldUntil?: string } = {},
): StandingAlias => ({ id, object: 'z', mergedInto, holder, heldUntil });
const leaves = (...records: readonly (typeof one | typeof other)[]) => ({
  records: records.map((record) => ({ ...record, from: 'z' })),
  to: undefined,
});

describe('the former ID of records that leave an object', () => {
  it('is the last one that the record had', () => {
    const aliases = [
      alias('x', other, { heldUntil: '1' }),
      alias('y', other, { heldUntil: '2' }),
      alias('w', one, { heldUntil: '3' }),
    ];
    expect(formerIdOf(leaves(other), byHolder(aliases))).toBe('y');
  });

  it('is that of the first record that had one', () => {
    const aliases = [alias('x', one, { heldUntil: '1' }), alias('y', other, { heldUntil: '2' })];
    expect(formerIdOf(leaves(one, other), byHolder(aliases))).toBe('x');
    expect(formerIdOf(leaves(one, other), byHolder(aliases.slice(1)))).toBe('y');
  });

  it('is no ID of another record, nor one that is an alias of another object', () => {
    const ofOther = { ...alias('y', other), object: 'elsewhere' };
    const aliases = byHolder([alias('x', one), alias('w', undefined), ofOther]);
    expect(formerIdOf(leaves(other), aliases)).toBeUndefined();
  });
});

describe('the aliases of an object that records leave', () => {
  it('go with the records whose IDs they were; the others stay', () => {
    const aliases = [alias('w', undefined), alias('x', one), alias('y', other), alias('u', other)];
    expect(aliasMoves([leaves(other)], ['y'], aliases)).toEqual([
      { id: 'y', from: 'z', to: 'y', isAlong: false },
      { id: 'u', from: 'z', to: 'y', isAlong: false },
    ]);
    expect(aliasMoves([{ ...leaves(other), to: 'found' }], ['found'], aliases)).toEqual([
      { id: 'y', from: 'z', to: 'found', isAlong: false },
      { id: 'u', from: 'z', to: 'found', isAlong: false },
    ]);
  });

  it('stay merged where they were if that goes with them', () => {
    const aliases = [alias('x', one, { mergedInto: 'y' }), alias('y', other)];
    expect(aliasMoves([leaves(other, one)], ['y'], aliases)).toEqual([
      { id: 'x', from: 'z', to: 'y', isAlong: true },
      { id: 'y', from: 'z', to: 'y', isAlong: false },
    ]);
  });

  it('are merged into the object itself if what they were merged into leaves them', () => {
    const aliases = [alias('x', one, { mergedInto: 'y' }), alias('y', other)];
    expect(aliasMoves([leaves(other)], ['y'], aliases)).toEqual([
      { id: 'x', from: 'z', to: 'z', isAlong: false },
      { id: 'y', from: 'z', to: 'y', isAlong: false },
    ]);
  });
});
