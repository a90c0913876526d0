import { migrationFinding } from './database-findings';
import { clockFinding } from './service-findings';

describe('what the doctor says', () => {
  it.each([
    [0, 'ok', 'agrees'],
    [-999, 'ok', 'to 1.0 s'],
    [1_500, 'wrong', '1.5 s ahead of'],
    [-90_000, 'wrong', '90.0 s behind'],
  ])('a clock that is %i ms ahead is %s', (aheadMs, state, words) => {
    expect(clockFinding(aheadMs)).toEqual({
      check: 'clock',
      state,
      detail: expect.stringContaining(words),
      customer_id: null,
    });
  });

  it('tells pending migrations from those of a newer release', () => {
    const [applied, pending, unknown] = (['applied', 'pending', 'unknown'] as const).map((state) => ({
      name: state,
      state,
    }));
    if (!applied || !pending || !unknown) throw new Error('There are three');
    expect(migrationFinding([applied]).state).toBe('ok');
    expect(migrationFinding([applied, pending]).detail).toMatch(/^1 of 2 migrations are pending/);
    expect(migrationFinding([applied, unknown]).detail).toMatch(/does not know/);
  });
});
