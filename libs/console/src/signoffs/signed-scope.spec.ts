import { scopeText } from './signed-scope';

const all = { through: null, currency: 'USD', entity_type: null, project_id: null };

it.each([
  [all, 'All documents, in USD'],
  [
    { ...all, through: '2026-06-30', entity_type: 'payment' as const },
    'Documents through 2026-06-30, in USD, payments only',
  ],
  [{ ...all, project_id: 'proj_1' }, 'All documents, in USD, project proj_1 only'],
])('of %j is in words: %s', (scope, words) => {
  expect(scopeText(scope)).toBe(words);
});
