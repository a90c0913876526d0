import { changeStateOf } from './change-state';

describe('the state of a change', () => {
  it.each([
    [[], 'settled'],
    [['applied', 'unchanged', 'skipped'], 'settled'],
    [['applied', 'rejected'], 'rejected'],
    [['rejected', 'pending'], 'pending'],
    [['pending', 'uncertain'], 'uncertain'],
    [['uncertain', 'held', 'rejected'], 'held'],
  ] as const)('of %j is %s', (statuses, state) => {
    expect(changeStateOf(statuses)).toBe(state);
  });
});
