import type { Store } from '../../database/transaction/store';
import type { UnitOfWork } from '../../database/transaction/unit-of-work';
import type { ApiKeysRepository, KeyInUse } from '../keys/api-keys.repository';
import { CallerCache } from './caller-cache';
import { CallerLookup } from './caller-lookup';

const row: KeyInUse = {
  ...{ id: 'key', customer_id: 'a', mode: 'live', permissions: ['read'], lifetime: 1_000 },
  has_own_fields: false,
};
const caller = { customer: { id: 'a', kind: 'standard' }, mode: 'live', keyId: 'key', permissions: ['read'] };
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A database that starts and answers a lookup only when the test allows it. */
class SlowKeys implements Pick<UnitOfWork, 'run'>, Pick<ApiKeysRepository, 'findInUse'> {
  readonly answers: ((rows: readonly KeyInUse[]) => void)[] = [];
  private readonly held: (() => void)[] = [];
  holding = false;

  async run<T>(work: (store: Store) => Promise<T>): Promise<T> {
    if (this.holding) await new Promise<void>((begin) => this.held.push(begin));
    return work({} as Store); // The lookup passes it on, and uses no member.
  }

  async findInUse(): Promise<KeyInUse | undefined> {
    const rows = await new Promise<readonly KeyInUse[]>((answer) => this.answers.push(answer));
    return rows[0];
  }

  begin(): void {
    this.holding = false;
    for (const begin of this.held.splice(0)) begin();
  }
}

describe('CallerLookup', () => {
  let time = 0;
  let keys: SlowKeys;
  let cache: CallerCache;
  let callers: CallerLookup;
  beforeEach(() => {
    time = 0;
    keys = new SlowKeys();
    cache = new CallerCache(() => time);
    callers = new CallerLookup(cache, keys, keys);
  });

  /** Looks up a key and answers the lookup at once. */
  async function found(key: string, rows: readonly KeyInUse[] = [row]) {
    const finding = callers.find(key, () => 'home');
    await settle();
    keys.answers.shift()?.(rows);
    return finding;
  }

  it('queries the database once a second for one key', async () => {
    expect(await found('k')).toEqual(caller);
    expect(callers.find('k', () => 'home')).toEqual(caller);
    time = 1_000;
    expect(callers.find('k', () => 'home')).toBeInstanceOf(Promise);
  });

  it('shares one lookup among concurrent requests', async () => {
    const all = [1, 2, 3].map(async () => callers.find('k', () => 'home'));
    await settle();
    expect(keys.answers).toHaveLength(1);
    keys.answers[0]?.([row]);
    expect(await Promise.all(all)).toEqual([caller, caller, caller]);
  });

  it('looks up again for requests after a change, which the lookup under way may have missed', async () => {
    const before = callers.find('k', () => 'home');
    await settle();
    cache.forget('a');
    const after = callers.find('k', () => 'home');
    await settle();
    expect(keys.answers).toHaveLength(2);
    keys.answers[0]?.([row]);
    keys.answers[1]?.([]);
    expect(await before).toEqual(caller);
    expect(await after).toBeUndefined();
    expect(callers.find('k', () => 'home')).toBeUndefined();
  });

  it('shares a lookup that has not begun with requests that arrive after a change', async () => {
    keys.holding = true;
    const first = callers.find('k', () => 'home');
    await settle();
    cache.forget('a');
    const second = callers.find('k', () => 'home');
    keys.begin();
    await settle();
    expect(keys.answers).toHaveLength(1);
    keys.answers[0]?.([row]);
    expect([await first, await second]).toEqual([caller, caller]);
  });

  it('gives the result of a lookup that began before a change only to requests that waited for it', async () => {
    const before = callers.find('k', () => 'home');
    await settle();
    cache.forget('a');
    keys.answers[0]?.([row]);
    expect(await before).toEqual(caller);
    expect(callers.find('k', () => 'home')).toBeInstanceOf(Promise);
  });

  it('serves keys in use during a flood of invalid keys, and addresses take turns', async () => {
    await found('k');
    time = 1_000;
    const flood = Array.from({ length: 400 }, async (_, guess) =>
      callers.find(`guess ${guess}`, () => 'far'),
    );
    await settle();
    const known = callers.find('k', () => 'home');
    const newcomer = callers.find('new', () => 'home');
    await settle();
    expect(keys.answers).toHaveLength(3); // Two guessed keys, and the valid key.
    keys.answers[2]?.([row]);
    expect(await known).toEqual(caller);
    for (const answer of keys.answers.splice(0, 3)) answer([]);
    await settle();
    const [first, second] = keys.answers;
    first?.([{ ...row, id: 'the newcomer’s' }]);
    second?.([{ ...row, id: 'the newcomer’s' }]);
    expect(await newcomer).toMatchObject({ keyId: 'the newcomer’s' });

    for (keys.answers.splice(0, 2); keys.answers.length > 0; await settle())
      for (const answer of keys.answers.splice(0)) answer([]);
    await Promise.all(flood);
  });

  it('looks an unknown key up once in a second', async () => {
    expect(await found('guess', [])).toBeUndefined();
    expect(callers.find('guess', () => 'home')).toBeUndefined();
    time = 1_000;
    expect(callers.find('guess', () => 'home')).toBeInstanceOf(Promise);
  });
});
