import { countedColumns } from './case-counts.repository';

describe('the columns by which a case is counted', () => {
  // The test of the SQL in the source reads texts, and this one is put together (decision 34).
  it('have no time as text and no part of a time, which a write on a cluster must not return', () => {
    const columns = countedColumns('c');
    expect(columns).toContain('accepted_until');
    expect(columns).not.toMatch(/_(?:at|until)(?:,[^()]*\))?::text/);
    expect(columns).not.toMatch(/\bextract\(epoch from (?!(?:[^()]|\([^()]*\))* - )/);
  });
});
