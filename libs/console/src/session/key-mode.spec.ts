import { modeOf, problemOfKey } from './key-mode';

describe('a pasted key', () => {
  it.each(['sk_live_abc', 'sk_test_ABC-1', 'sk_demo_x'])('%s is one', (key) => {
    expect(problemOfKey(key)).toBeUndefined();
    expect(modeOf(key)).toBe(key.slice(3, 7));
  });

  it.each(['', 'hello', 'sk_prod_x', 'sk_live_a b', 'sk_live_é', 'sk_live_a\n'])('%j is none', (text) => {
    expect(problemOfKey(text)).toMatch(/\.$/);
  });
});
