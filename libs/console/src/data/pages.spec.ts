import { step } from './pages';

describe('step', () => {
  it('goes on by the cursor, and back the way it came', () => {
    const third = step(step([], 'next', 'a'), 'next', 'b');
    expect(third).toEqual(['a', 'b']);
    expect(step(third, 'previous', 'c')).toEqual(['a']);
    expect(step([], 'previous', 'a')).toEqual([]);
  });

  it('stays on the last page', () => {
    expect(step(['a'], 'next', null)).toEqual(['a']);
  });
});
