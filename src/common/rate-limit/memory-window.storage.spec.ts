import { MemoryWindowStorage } from './memory-window.storage';

const ttl = 60_000;
const limit = 5;

function aStorage() {
  let time = 1_000_000;
  const storage = new MemoryWindowStorage(() => time);
  return {
    storage,
    hit: (key = 'a') => storage.increment(key, ttl, limit),
    pass: (milliseconds: number) => (time += milliseconds),
  };
}

describe('MemoryWindowStorage', () => {
  it('lets the limit pass and blocks the next', async () => {
    const { hit } = aStorage();
    for (let hits = 1; hits <= limit; hits += 1) {
      await expect(hit()).resolves.toMatchObject({ totalHits: hits, isBlocked: false, timeToBlockExpire: 0 });
    }
    await expect(hit()).resolves.toMatchObject({ isBlocked: true, timeToBlockExpire: 60 });
  });

  it('returns the time to the window’s end in whole seconds, never zero', async () => {
    const { hit, pass } = aStorage();
    for (let hits = 0; hits < limit; hits += 1) await hit();
    pass(1);
    await expect(hit()).resolves.toMatchObject({ timeToBlockExpire: 60 });
    pass(58_999);
    await expect(hit()).resolves.toMatchObject({ timeToBlockExpire: 1 });
    pass(999);
    await expect(hit()).resolves.toMatchObject({ timeToBlockExpire: 1 });
  });

  it('starts anew when the window is over; refused hits do not prolong it', async () => {
    const { hit, pass } = aStorage();
    for (let hits = 0; hits < 20; hits += 1) {
      await hit();
      pass(2_000);
    }
    pass(20_000);
    await expect(hit()).resolves.toMatchObject({ totalHits: 1, isBlocked: false });
  });

  it('counts each key by itself', async () => {
    const { hit } = aStorage();
    for (let hits = 0; hits <= limit; hits += 1) await hit('a');
    await expect(hit('b')).resolves.toMatchObject({ totalHits: 1, isBlocked: false });
  });

  it('forgets windows that are over', async () => {
    const { storage, hit, pass } = aStorage();
    for (let client = 0; client < 1000; client += 1) await hit(`client ${client}`);
    expect(storage.size).toBe(1000);
    pass(ttl);
    await hit();
    expect(storage.size).toBe(1);
  });

  it('remembers no more keys than it may, and forgets the oldest', async () => {
    const { storage, hit } = aStorage();
    for (let client = 0; client < MemoryWindowStorage.MAX_KEYS + 10; client += 1)
      await hit(`client ${client}`);
    expect(storage.size).toBe(MemoryWindowStorage.MAX_KEYS);
    await expect(hit('client 10')).resolves.toMatchObject({ totalHits: 2 });
    await expect(hit('client 0')).resolves.toMatchObject({ totalHits: 1 });
  });
});
