import { OpenSince, type Dated } from './open-since';

interface Version extends Dated {
  readonly value: string;
}

const version = (since: number, until: number | undefined, value: string): Version => ({
  since,
  until,
  value,
});
const differs = (present: readonly Version[]) =>
  new Set(present.some(({ value }) => value === 'wrong') ? ['it'] : []);

describe('an open item is open since', () => {
  function since(present: readonly Version[], former: readonly Version[]): number | undefined {
    const items = new OpenSince(present, differs);
    items.goBack(former);
    return items.of('it');
  }

  it('it came up last, not since an earlier time at which it was settled again', () => {
    const former = [version(1, 3, 'wrong'), version(3, 5, 'right'), version(5, 8, 'wrong')];
    expect(since([version(8, undefined, 'wrong')], former)).toBe(5);
  });

  it('never, when it is settled now', () => {
    expect(since([version(3, undefined, 'right')], [version(1, 3, 'wrong')])).toBeUndefined();
  });

  it('the same time, however few versions are added at once, and needs none from before it', () => {
    // One record is wrong since 4, and another one has a version that began long before, and ended late.
    const present = [version(20, undefined, 'right')];
    const former = [
      version(18, 20, 'wrong'),
      version(2, 18, 'right'),
      version(12, 17, 'wrong'),
      version(9, 12, 'wrong'),
      version(4, 9, 'wrong'),
      version(3, 4, 'right'),
      version(2, 3, 'wrong'),
      version(1, 2, 'wrong'),
    ];
    const isOpen = (records: readonly Version[]) =>
      new Set(records.some(({ value }) => value === 'wrong') || records.length === 1 ? ['it'] : []);
    const ends = former.map(({ until }) => until ?? Infinity);
    for (let size = 1; size <= former.length; size += 1) {
      const items = new OpenSince(present, isOpen);
      const times: (number | undefined)[] = [];
      for (let place = 0; place < former.length && !items.isSettled; place += size) {
        const from = place + size < former.length ? ends[place + size - 1] : undefined;
        items.goBack(former.slice(place, place + size), from);
        times.push(items.of('it'));
      }
      expect(times.at(-1)).toBe(4);
      expect(times).toEqual(times.toSorted((one, other) => Number(other) - Number(one)));
      if (size === 1) expect(times).toHaveLength(former.length - 1);
    }
  });
});
