import { stateOf } from './endpoint-state';

describe('the state of an endpoint', () => {
  const since = '2026-01-01T00:00:00Z';
  it.each([
    [true, null, null, '● active'],
    [true, null, since, '▲ failing'],
    [false, null, since, '○ switched off'],
    [false, 'No delivery has succeeded', since, '▲ disabled by the service: No delivery has succeeded'],
  ])('enabled %j, disabled for %j, failing since %j: %s', (enabled, reason, failing, expected) => {
    const { mark, words } = stateOf({ enabled, disabled_reason: reason, failing_since: failing });
    expect(`${mark} ${words}`).toBe(expected);
  });
});
