import { ClaimOwners } from './claim-owners';

describe('the owners of claims', () => {
  it('are UUIDs that begin with their instance, and never the same', () => {
    const [one, other] = [new ClaimOwners(), new ClaimOwners()];
    const owners = [one.next(), one.next(), other.next()];
    for (const owner of owners) {
      expect(owner).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
    }
    expect(owners.map((owner) => owner.startsWith(one.instance))).toEqual([true, true, false]);
    expect(new Set(owners).size).toBe(3);
  });
});
