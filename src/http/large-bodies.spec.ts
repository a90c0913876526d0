import type { Request, Response } from 'express';
import { EventEmitter } from 'node:events';
import { LARGE_BODIES, LargeBodies, SMALL_BODY } from './large-bodies';

/** A request of an address, and its answer; only what places look at. */
function exchange(ip: string, headers: Record<string, string>) {
  const response = new EventEmitter();
  return { request: { ip, headers } as unknown as Request, response: response as unknown as Response };
}

const large = { 'content-length': String(SMALL_BODY + 1) };

describe('LargeBodies', () => {
  it('lets a small body in without a place', () => {
    const { request, response } = exchange('a', { 'content-length': String(SMALL_BODY) });
    expect(new LargeBodies().placeFor(request, response)).toBeUndefined();
  });

  it.each<Record<string, string>>([
    large,
    { 'transfer-encoding': 'chunked' },
    { 'content-encoding': 'gzip' },
  ])(
    'gives a body with %j a place until the answer is out, and one caller a third of them',
    async (headers) => {
      const places = new LargeBodies();
      const enter = (ip: string) => {
        const { request, response } = exchange(ip, headers);
        return { response, place: Promise.resolve(places.placeFor(request, response)) };
      };
      const inside = Array.from({ length: LARGE_BODIES / 3 }, () => enter('a'));
      await Promise.all(inside.map(({ place }) => place));
      let entered = false;
      const next = enter('a').place.then(() => (entered = true));
      await enter('b').place;
      expect(entered).toBe(false);
      inside[0]?.response.emit('close');
      await next;
      expect(entered).toBe(true);
    },
  );

  it('ends the wait of a client that leaves', async () => {
    const places = new LargeBodies();
    const take = () => {
      const { request, response } = exchange('a', large);
      return { response, place: Promise.resolve(places.placeFor(request, response)) };
    };
    await Promise.all(Array.from({ length: LARGE_BODIES / 3 }, () => take().place));
    const { response, place } = take();
    response.emit('close');
    await expect(place).rejects.toThrow('The client is gone');
  });
});
