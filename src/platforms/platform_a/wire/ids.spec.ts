import { ExactNumber, parseJsonText, stringifyJson } from '@app/mapper';
import { compareIds, idNumber, idText, withTextIds } from './ids';

describe('IDs', () => {
  it.each([
    [7, '7'],
    [new ExactNumber('9007199254740993'), '9007199254740993'],
    ['562949953421312', '562949953421312'],
    ['', undefined],
    [null, undefined],
    [0.5, undefined],
    [new ExactNumber('1.5'), undefined],
  ])('%p is %p', (value, text) => expect(idText(value)).toBe(text));

  it('are sent as integers of any size', () => {
    expect(stringifyJson(['7', '9007199254740993', 'x7'].map(idNumber))).toBe('[7,9007199254740993,"x7"]');
  });

  it('have an order', () => {
    expect(['10', '9', '9007199254740993', '1'].sort(compareIds)).toEqual([
      '1',
      '9',
      '10',
      '9007199254740993',
    ]);
  });

  it('beyond 2^53 become text wherever they stand, and nothing else changes', () => {
    const text =
      '{"id":9007199254740993,"vendor":{"id":9007199254740995},"project_ids":[1,9007199254740997],' +
      '"lines":[{"cost_code_id":9007199254740999}],"amount":9007199254740993.5,"paid":9007199254740993}';
    expect(stringifyJson(withTextIds(parseJsonText(text) as never))).toBe(
      '{"id":"9007199254740993","vendor":{"id":"9007199254740995"},"project_ids":[1,"9007199254740997"],' +
        '"lines":[{"cost_code_id":"9007199254740999"}],"amount":9007199254740993.5,"paid":9007199254740993}',
    );
    const plain = { id: 1, vendor: { id: 2 }, lines: [{ id: 3 }] };
    expect(withTextIds(plain)).toBe(plain);
  });
});
