import { before, behind, placeWords } from './queue';

const row = (id: string, platformId: string) => ({
  id,
  records: [{ platform: 'platform_a', platform_id: platformId } as const],
});
const rows = [row('a', '1'), row('b', '2'), row('c', '3')];

describe('the queue', () => {
  it('goes forth and back within the page', () => {
    expect(before(rows, 'b')?.id).toBe('a');
    expect(before(rows, 'a')).toBeUndefined();
    expect(behind(rows, 'b')?.id).toBe('c');
    expect(behind(rows, 'c')).toBeUndefined();
  });

  it('begins with the first case where this one is not in the list any more', () => {
    expect(behind(rows, 'gone')?.id).toBe('a');
    expect(before(rows, 'gone')).toBeUndefined();
  });

  it('leaves out what the decision settles too', () => {
    expect(behind(rows, 'a', [{ platform: 'platform_a', platform_id: '2' }])?.id).toBe('c');
    expect(behind(rows, 'a', [{ platform: 'platform_b', platform_id: '2' }])?.id).toBe('b');
  });

  it('says where it is', () => {
    expect(placeWords(rows, 'b', 1400, true)).toBe('Case 2 of 1,400');
    expect(placeWords(rows, 'b', 1400, false)).toBe('Case 2 of this page, 1,400 in the list');
    expect(placeWords(rows, 'gone', 3, true)).toBe('3 in the list');
  });
});
