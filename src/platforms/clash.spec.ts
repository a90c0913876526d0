import { isStorableText } from '@app/mapper';
import { clashWords } from './clash';

describe('the words for fields that another user changed', () => {
  it('have at most 200 characters of a value, and no half of one', () => {
    for (const length of [197, 198, 199]) {
      const theirs = 'x'.repeat(length) + '👍'.repeat(9);
      const words = clashWords([{ path: ['title'], theirs, mine: 'y' }]);
      expect(words).toMatch(/^title was changed to "x+👍?… meanwhile, not to "y"$/u);
      expect(isStorableText(words)).toBe(true);
    }
  });
});
