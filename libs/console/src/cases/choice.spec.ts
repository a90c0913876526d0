import type { Case } from '../data/cases';
import { MOST, renewed, toggled, type Choice } from './choice';

// What is chosen is known by its ID; the rest of a case does not matter here.
const one = (id: string, state: Case['state'] = 'open') => ({ id, state }) as Case;

describe('the choice of cases', () => {
  it('takes a case in, and leaves it out again', () => {
    const chosen = toggled(new Map(), one('a'));
    expect([...chosen.keys()]).toEqual(['a']);
    expect(toggled(chosen, one('a')).size).toBe(0);
  });

  it('holds no more than one request may change', () => {
    let chosen: Choice = new Map();
    for (let index = 0; index <= MOST; index += 1) chosen = toggled(chosen, one(String(index)));
    expect(chosen.size).toBe(MOST);
  });

  it('takes what was read last of the rows that show', () => {
    const chosen = toggled(toggled(new Map(), one('a')), one('b'));
    expect(renewed(chosen, [one('a', 'accepted')]).map(({ id, state }) => [id, state])).toEqual([
      ['a', 'accepted'],
      ['b', 'open'],
    ]);
  });
});
