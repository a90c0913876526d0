import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { generateKey, hashKey } from '../../auth/keys/api-key';
import { CallerCache } from '../../auth/callers/caller-cache';
import { EventLoopScheduler, MOST_WAITING, SLICE_MS } from '../../runtime/fairness/event-loop-scheduler';
import { Overloaded } from '../../runtime/fairness/overloaded';
import { RequestAdmission, MAX_CONCURRENT_READS } from './request-admission';

const key = generateKey('live');

/** The part of a response that the admission uses. */
class TestResponse extends EventEmitter {
  destroyed = false;
}

describe('RequestAdmission', () => {
  let clock: number;
  let turns: (() => void)[];
  let admission: RequestAdmission;
  let served: string[];

  beforeEach(() => {
    clock = 0;
    turns = [];
    served = [];
    const callers = new CallerCache(() => clock);
    const caller = {
      customer: { id: 'customer', kind: 'standard' },
      mode: 'live',
      keyId: 'id',
      permissions: [],
    } as const;
    callers.remember(hashKey(key), caller, callers.ask(), 60_000);
    const loop = {
      now: () => clock,
      nextTurn: (next: () => void) => void turns.push(next),
      later: () => undefined,
    };
    admission = new RequestAdmission(new EventLoopScheduler(loop), callers);
  });

  const enter = (
    name: string,
    url = '/api/v1/objects',
    authorization?: string,
    { method = 'POST', response = new TestResponse() } = {},
  ) => {
    const rawHeaders = authorization === undefined ? [] : ['Authorization', authorization];
    // The admission uses no other member.
    const request = { method, url, rawHeaders, socket: new Socket() } as unknown as IncomingMessage;
    admission.admit(request, response as unknown as ServerResponse, () => void served.push(name));
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
  ])('leaves the wait to the guard, or admits without a wait: %s', (_, url, authorization) => {
    useUpTurn();
    expect(enter('a', url, authorization)).not.toHaveProperty('turnOf');
    expect(served).toEqual(['first', 'a']);
  });

  it('passes a request that found too many others waiting to the guard, with the reason', () => {
    useUpTurn();
    for (let i = 0; i < MOST_WAITING.each; i += 1) enter('waits', undefined, `Bearer ${key}`);
    const request = enter('refused', undefined, `Bearer ${key}`);
    expect(served).toEqual(['first', 'refused']);
    expect(request.refusedTurn).toBeInstanceOf(Overloaded);
  });

  describe('with many readings of one customer', () => {
    const get = { method: 'GET' };
    const read = (name: string, response = new TestResponse()) => {
      const request = enter(name, undefined, `Bearer ${key}`, { ...get, response });
      return { request, response };
    };
    let first: TestResponse;
    beforeEach(() => {
      first = read('first').response;
      for (let count = 1; count < MAX_CONCURRENT_READS; count += 1) read('other');
    });

    it('lets further readings wait until one ends', () => {
      read('next');
      expect(served).not.toContain('next');
      first.emit('close');
      expect(served.at(-1)).toBe('next');
    });

    it('lets no other request wait', () => {
      enter('write', undefined, `Bearer ${key}`);
      enter('probe', '/readyz', `Bearer ${key}`, get);
      enter('stranger', undefined, `Bearer ${generateKey('live')}`, get);
      expect(served.slice(-3)).toEqual(['write', 'probe', 'stranger']);
    });

    it('continues with the next request when a waiting client disconnects', () => {
      const gone = new TestResponse();
      read('gone', gone);
      read('next');
      gone.destroyed = true;
      first.emit('close');
      expect(served.slice(-2).sort()).toEqual(['gone', 'next']);
    });

    it('passes a reading that found too many others waiting to the guard, with the reason', () => {
      for (let count = 0; count < MOST_WAITING.each; count += 1) read('waits');
      expect(read('refused').request.refusedTurn).toBeInstanceOf(Overloaded);
    });
  });
});
