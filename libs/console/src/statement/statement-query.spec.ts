import { membersOf, queryOf } from './statement-query';

it('reads what an address says, and nothing that it does not know', () => {
  expect(queryOf(new URLSearchParams('through=2026-06-30&currency=&other=1'))).toEqual({
    through: '2026-06-30',
  });
});

it.each([
  ['2026-06-30', { as_of: '2026-06-30T10:00:00.123456Z' }],
  ['2026-06-29', { as_of: '2026-06-29' }],
  ['', { as_of: '' }],
])('keeps the moment of a statement unless another day than %s is asked for', (day, expected) => {
  const before = { as_of: '2026-06-30T10:00:00.123456Z' };
  const others = { through: '', currency: '', entity_type: '', project_id: '' };
  const members = membersOf({ as_of: day, ...others }, before, 'UTC');
  expect(members).toEqual({ ...others, ...expected });
});
