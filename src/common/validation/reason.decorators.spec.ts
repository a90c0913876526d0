import { validateSync } from 'class-validator';
import { IsDecider, IsReason } from './reason.decorators';

class Said {
  @IsReason()
  reason = 'Known';

  @IsDecider()
  decided_by = 'مريم';
}

const problems = (more: Partial<Said>): string[] =>
  validateSync(Object.assign(new Said(), more)).flatMap(({ constraints }) =>
    Object.values(constraints ?? {}),
  );

describe('a reason and the name of who gives it', () => {
  it.each(['Ada', 'O', '\u200fمريم\u200f', '?', '😀', 'Ada\u200b'])('may be %j', (words) => {
    expect(problems({ reason: words, decided_by: words })).toEqual([]);
  });

  it.each(['', ' ', '\u200b\u200e', '\u00ad', '\u3164', '\ufeff', '\u0001', ' \u2060 '])(
    'may not be %j, of which nobody sees anything',
    (words) => {
      expect(problems({ reason: words })).toEqual(['reason must say something']);
      expect(problems({ decided_by: words })).toEqual(['decided_by must name a person']);
    },
  );
});
