import type { PlatformSubscription } from '../platforms/webhooks';
import { hashOf } from './address';
import { planSubscriptions, type SubscriptionState, type SubscriptionPlan } from './plan';

const HOUR = 3_600_000;
const now = new Date('2026-11-21T10:00:00Z');
const addresses = 'https://api.example.com/webhooks/platform_b/';
const token = (letter: string): string => letter.repeat(43);
const inHours = (hours: number): Date => new Date(now.getTime() + hours * HOUR);

const subscription = (over: Partial<PlatformSubscription> = {}): PlatformSubscription => ({
  id: '1',
  url: addresses + token('a'),
  topic: 'customers',
  expiresAt: inHours(70),
  ...over,
});
const known = (letter: string, isConfirmed = true) => ({ addressHash: hashOf(token(letter)), isConfirmed });
const plan = (over: Partial<SubscriptionState> = {}): SubscriptionPlan =>
  planSubscriptions({
    topics: ['customers'],
    addresses,
    known: [known('a')],
    others: new Set(),
    there: [subscription()],
    now,
    renewBefore: 36 * HOUR,
    ...over,
  });
const nothing: SubscriptionPlan = { remove: [], forget: [], renew: [], subscribe: [] };

describe('planSubscriptions', () => {
  it('leaves valid subscriptions alone', () => {
    expect(plan()).toEqual(nothing);
    const endless = subscription({ expiresAt: undefined });
    expect(plan({ there: [endless] })).toEqual(nothing);
  });

  it('creates missing subscriptions', () => {
    expect(plan({ known: [], there: [], topics: ['customers', 'orders'] })).toEqual({
      ...nothing,
      subscribe: ['customers', 'orders'],
    });
  });

  it('renews subscriptions that end soon', () => {
    const ending = subscription({ expiresAt: inHours(36) });
    expect(plan({ there: [ending] })).toEqual({ ...nothing, renew: [ending] });
  });

  it('creates again the subscriptions that the platform has dropped or will drop by then', () => {
    const anew = { ...nothing, forget: [hashOf(token('a'))], subscribe: ['customers'] };
    expect(plan({ there: [] })).toEqual(anew);
    expect(plan({ there: [subscription({ expiresAt: now })] })).toEqual(anew);
  });

  it.each([
    ['that was begun and not ended', { known: [known('a', false)] }],
    [
      'at a former address',
      { there: [subscription({ url: `https://old.example.com/webhooks/platform_b/${token('a')}` })] },
    ],
    ['of no known topic', { there: [subscription({ topic: undefined })] }],
  ])('replaces one %s', (_what, over: Partial<SubscriptionState>) => {
    expect(plan(over)).toEqual({
      remove: over.there ?? [subscription()],
      forget: [hashOf(token('a'))],
      renew: [],
      subscribe: ['customers'],
    });
  });

  it('keeps one of several subscriptions to the same resource', () => {
    const second = subscription({ id: '2', url: addresses + token('b') });
    expect(plan({ known: [known('a'), known('b')], there: [subscription(), second] })).toEqual({
      ...nothing,
      remove: [second],
      forget: [hashOf(token('b'))],
    });
  });

  it('deletes the service’s unknown subscriptions, and no others', () => {
    const lost = subscription({ id: '2', url: addresses + token('c') });
    const ofOthers = subscription({ id: '3', url: addresses + token('d') });
    const foreign = [
      subscription({ id: '4', url: `https://other.example/hook/${token('e')}` }),
      subscription({ id: '5', url: 'https://other.example/hook' }),
    ];
    expect(
      plan({ others: new Set([hashOf(token('d'))]), there: [subscription(), lost, ofOthers, ...foreign] }),
    ).toEqual({ ...nothing, remove: [lost] });
  });
});
