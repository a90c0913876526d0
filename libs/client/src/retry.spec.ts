import { delayBefore, mayPass, readRetryAfter, standardRetries } from './retry';

describe('readRetryAfter', () => {
  const now = Date.UTC(2026, 0, 15, 10, 0, 0);
  it.each([
    ['7', 7000],
    ['0', 0],
    [' 60 ', 60_000],
    ['Thu, 15 Jan 2026 10:00:30 GMT', 30_000],
    ['Thu, 15 Jan 2026 09:00:00 GMT', 0],
    ['soon', undefined],
    [null, undefined],
  ])('reads %j as %j ms', (header, expected) => {
    expect(readRetryAfter(header, now)).toBe(expected);
  });
});

describe('delayBefore', () => {
  it('doubles the wait, half of it left to chance', () => {
    const policy = { ...standardRetries, attempts: 5, firstDelay: 100 };
    expect([1, 2, 3].map((attempt) => delayBefore(policy, attempt, undefined, 1))).toEqual([100, 200, 400]);
    expect([1, 2, 3].map((attempt) => delayBefore(policy, attempt, undefined, 0))).toEqual([50, 100, 200]);
  });

  it('never waits longer than the policy allows', () => {
    expect(delayBefore({ attempts: 20, firstDelay: 100, longestDelay: 300 }, 10, undefined, 1)).toBe(300);
    expect(delayBefore({ attempts: 20, firstDelay: 100, longestDelay: 300 }, 1, 301, 1)).toBeUndefined();
  });

  it('does what the service says, and ends with the last attempt', () => {
    expect(delayBefore(standardRetries, 1, 7000, 0.3)).toBe(7000);
    expect(delayBefore(standardRetries, standardRetries.attempts, 0, 0)).toBeUndefined();
  });
});

describe('mayPass', () => {
  it('holds for what the service says itself may pass', () => {
    const statuses = [200, 400, 409, 429, 500, 502, 503];
    expect(statuses.filter((status) => mayPass(status, undefined))).toEqual([429, 502, 503]);
  });

  it('holds for a conflict that says when to come back, and for no other refusal that does', () => {
    expect([400, 404, 409, 422].filter((status) => mayPass(status, 1000))).toEqual([409]);
  });
});
