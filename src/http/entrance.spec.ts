import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { generateKey, hashKey } from '../auth/api-key';
import { CallerCache } from '../auth/caller-cache';
import { LoopTime, MOST_WAITING, SLICE_MS } from '../fairness/loop-time';
import { Overloaded } from '../fairness/overloaded';
import { Entrance } from './entrance';

const key = generateKey('live');

describe('Entrance', () => {
  let clock: number;
  let turns: (() => void)[];
  let entrance: Entrance;
  let served: string[];

  beforeEach(() => {
    clock = 0;
    turns = [];
    served = [];
    const callers = new CallerCache(() => clock);
    const caller = { customer: { id: 'customer', kind: 'standard' }, mode: 'live', keyId: 'id' } as const;
    callers.remember(hashKey(key), caller, callers.ask(), 60_000);
    const loop = {
      now: () => clock,
      nextTurn: (next: () => void) => void turns.push(next),
      later: () => undefined,
    };
    entrance = new Entrance(new LoopTime(loop), callers);
  });

  const enter = (name: string, url = '/api/v1/objects', authorization?: string) => {
    const rawHeaders = authorization === undefined ? [] : ['Authorization', authorization];
    const request = { url, rawHeaders, socket: new Socket() } as unknown as IncomingMessage; // All that is looked at.
    entrance.enter(request, () => void served.push(name));
    return request as IncomingMessage & { turnOf?: string; refusedTurn?: Overloaded };
  };
  const turn = () => turns.splice(0).forEach((next) => next());
  const useUpTurn = () => {
    enter('first');
    clock += 2 * SLICE_MS;
  };

  it('serves at once while the loop keeps up', () => {
    expect(enter('a', undefined, `Bearer ${key}`)).not.toHaveProperty('turnOf');
    expect(served).toEqual(['a']);
  });

  it('lets a request of a known caller wait for the turn of its customer', () => {
    useUpTurn();
    const request = enter('a', undefined, `Bearer ${key}`);
    expect(served).toEqual(['first']);
    turn();
    expect(served).toEqual(['first', 'a']);
    expect(request.turnOf).toBe('customer');
  });

  it.each([
    ['no key', '/api/v1/objects', undefined],
    ['a key that nobody is known by', '/api/v1/objects', `Bearer ${generateKey('live')}`],
    ['something else than a key', '/api/v1/objects', 'Basic x'],
    ['a probe', '/readyz', `Bearer ${key}`],
    ['the health check', '/api/v1/health?x=1', `Bearer ${key}`],
  ])('leaves the wait to the guard, or lets nobody wait: %s', (_, url, authorization) => {
    useUpTurn();
    expect(enter('a', url, authorization)).not.toHaveProperty('turnOf');
    expect(served).toEqual(['first', 'a']);
  });

  it('brings a request that finds too many before it to the guard, with the reason', () => {
    useUpTurn();
    for (let i = 0; i < MOST_WAITING.each; i += 1) enter('waits', undefined, `Bearer ${key}`);
    const request = enter('refused', undefined, `Bearer ${key}`);
    expect(served).toEqual(['first', 'refused']);
    expect(request.refusedTurn).toBeInstanceOf(Overloaded);
  });
});
