import { setImmediate as turn } from 'node:timers/promises';
import { beginTogether } from './begin-together';

describe('beginTogether', () => {
  it('begins what one turn brings in that turn, in order, when all of it is there', async () => {
    const begun: number[] = [];
    for (const number of [1, 2, 3]) beginTogether(() => void begun.push(number));
    expect(begun).toEqual([]);
    await turn();
    expect(begun).toEqual([1, 2, 3]);
    beginTogether(() => void begun.push(4));
    await turn();
    expect(begun).toEqual([1, 2, 3, 4]);
  });

  it('lets none wait for more than 31 others', async () => {
    const begun: number[] = [];
    for (let number = 1; number <= 33; number += 1) beginTogether(() => void begun.push(number));
    expect(begun).toHaveLength(32);
    await turn();
    expect(begun).toHaveLength(33);
  });
});
