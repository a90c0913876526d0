import type { Store } from '../database/transaction/store';
import { hashOf } from './address';
import { ReceiverLookup } from './receiver-lookup';

const address = (letter: string): string => letter.repeat(43);

/** A database with one receiver, at `aaa…`, that counts the queries. */
function aLookup() {
  const asked: unknown[] = [];
  const row = { customer_id: 'c', platform: 'platform_a', secret_hash: 'x', is_handshake: true };
  const query = (_sql: string, [hash]: readonly unknown[] = []) => {
    asked.push(hash);
    return Promise.resolve(hash === hashOf(address('a')) ? [row] : []);
  };
  // The lookup uses no other member of a store.
  const store = { query } as unknown as Store;
  return { asked, lookup: new ReceiverLookup({ run: (work) => work(store) }) };
}

describe('ReceiverLookup', () => {
  it('looks up a key once for concurrent requests, and caches it', async () => {
    const { asked, lookup } = aLookup();
    const found = await Promise.all(
      Array.from({ length: 100 }, () => lookup.find(address('a'), '203.0.113.7')),
    );
    expect(new Set(found.map((receiver) => receiver?.customerId))).toEqual(new Set(['c']));
    await lookup.find(address('a'), '203.0.113.8');
    expect(asked).toHaveLength(1);
  });

  it('does not cache that no receiver has the address, because one may be created a moment later', async () => {
    const { asked, lookup } = aLookup();
    expect(await lookup.find(address('b'), '203.0.113.7')).toBeUndefined();
    expect(await lookup.find(address('b'), '203.0.113.7')).toBeUndefined();
    expect(asked).toHaveLength(2);
  });

  it('queries each time whether a handshake is allowed', async () => {
    const { asked, lookup } = aLookup();
    await lookup.find(address('a'), '203.0.113.7');
    expect(await lookup.findNow(address('a'), '203.0.113.7')).toMatchObject({ isHandshake: true });
    expect(asked).toHaveLength(2);
  });

  it.each(['', 'short', address('a') + 'a', address('-')])(
    'finds no receiver for %j, without a query',
    async (text) => {
      const { asked, lookup } = aLookup();
      expect(await lookup.find(text, '203.0.113.7')).toBeUndefined();
      expect(await lookup.findNow(text, '203.0.113.7')).toBeUndefined();
      expect(asked).toEqual([]);
    },
  );
});
