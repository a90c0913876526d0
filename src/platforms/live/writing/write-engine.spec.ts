import { valueAt, withValuesAt, type JsonObject, type NativeChange } from '@app/mapper';
import type { Attempt, WriteCommand } from '../../connector';
import type { CreationResult, UpdateResult } from './send-result';
import { WriteEngine } from './write-engine';
import { WriteProgress } from './write-progress';
import type { WriteSteps } from './write-steps';

const T0 = new Date('2026-03-01T10:00:00.000Z');
const SOON = new Date('2026-03-01T10:00:05.000Z');

const change = (name: string, value: string): NativeChange => ({ path: [name], value });
const name = change('name', 'New');
const notes = change('notes', 'N');

const isShown = ({ path, value }: NativeChange, record: JsonObject): boolean =>
  valueAt(record, path) === value;

/** A platform of one record, which takes each change in a call of its own. */
class FakePlatform {
  record: JsonObject | undefined = { name: 'Old', notes: '' };
  /** The results of the next calls. A call without one succeeds. */
  readonly results: UpdateResult[] = [];
  readonly sent: string[] = [];
  /** What happens at the platform right after a call. */
  behind: () => void = () => undefined;
  creation: CreationResult = { status: 'uncertain' };
  candidates: readonly { readonly id: string; readonly record: JsonObject }[] = [];

  engineFor(changes: readonly NativeChange[], over: Partial<WriteSteps> = {}) {
    const progress = new WriteProgress();
    const isNew = over.creation !== undefined;
    const engine = new WriteEngine({ ...this.steps(changes, isNew ? null : '1'), ...over }, progress);
    return { engine, progress };
  }

  private steps(changes: readonly NativeChange[], platformId: string | null): WriteSteps {
    const command: WriteCommand = {
      id: 'c',
      customerId: 'x',
      platform: 'platform_b',
      entityType: 'customer',
      variant: null,
      platformId,
      ifMatch: null,
      changes,
      referred: {},
    };
    const notShown: WriteSteps['notShown'] = (wanted, record) =>
      wanted.filter((one) => !isShown(one, record));
    return {
      command,
      words: {
        gone: 'gone',
        createdIsGone: 'created and gone',
        severalCandidates: (ids) => `several: ${ids.join(', ')}`,
        unlikeCandidate: (id, fields) => `${id} has another ${fields}`,
        otherValues: (refused) => `made something else of ${refused.map(({ path }) => path.join()).join()}`,
      },
      rereadPauses: [1, 2],
      settlingDelays: [2_000, 60_000],
      delaysWhenGone: [],
      pause: () => Promise.resolve(),
      retryTime: () => SOON,
      read: () => Promise.resolve(this.record),
      notShown,
      clashes: (open, record, before) =>
        open.filter(({ path }) => valueAt(record, path) !== valueAt(before, path)),
      shownSince: (before, open) =>
        notShown(
          changes.filter((one) => !open.includes(one)),
          before,
        ),
      notes: () => Promise.resolve(null),
      creation: () => Promise.resolve(() => Promise.resolve(this.creation)),
      idIn: ({ id }) => (typeof id === 'string' ? id : undefined),
      refusalOf: () => undefined,
      updateCalls: (_existing, missing) =>
        missing.map((one) => ({ changes: [one], send: () => this.take(one) })),
      confirmedBy: ({ call }) => call.changes,
      expectedAfter: ({ record, changes: made }) => withValuesAt(record, made),
      isLate: () => false,
      wasMade: () => false,
      readRefused: () => Promise.resolve(this.record),
      settleUnshown: ({ clashes }) => ({ status: 'missing', delays: clashes.length > 0 ? [] : [2_000] }),
      candidates: () => Promise.resolve(this.candidates),
      shownOtherwise: (record) => notShown(changes, record),
      lacksLine: () => false,
      nextLook: (_unfinished, until) => until,
    };
  }

  private take(one: NativeChange): Promise<UpdateResult> {
    this.sent.push(one.path.join());
    const result = this.results.shift() ?? { status: 'done', body: {} };
    if (result.status === 'done' && this.record) this.record = withValuesAt(this.record, [one]);
    this.behind();
    return Promise.resolve(result);
  }
}

const attempt = (ms: number, over: Partial<Attempt> = {}): Attempt => ({
  startedAt: T0,
  endedAt: T0,
  before: { name: 'Old', notes: '' },
  now: new Date(T0.getTime() + ms),
  ...over,
});

describe('an update', () => {
  let platform: FakePlatform;
  const before = { name: 'Old', notes: '' };
  beforeEach(() => {
    platform = new FakePlatform();
  });

  it('sends only what the record does not show', async () => {
    platform.record = { name: 'New', notes: '' };
    const { engine } = platform.engineFor([name, notes]);
    expect(await engine.update('1', undefined)).toEqual({
      status: 'applied',
      payload: { name: 'New', notes: 'N' },
    });
    expect(platform.sent).toEqual(['notes']);
  });

  it('is deferred before its first effect, and uncertain after it', async () => {
    const deferred: UpdateResult = { status: 'deferred', until: SOON, reason: 'busy' };
    platform.results.push(deferred);
    expect(await platform.engineFor([name, notes]).engine.update('1', before)).toEqual(deferred);
    platform.results.push({ status: 'done', body: {} }, deferred);
    const { engine, progress } = platform.engineFor([name, notes]);
    expect(progress.withProgress(await engine.update('1', before))).toEqual({
      status: 'uncertain',
      until: SOON,
      made: { changes: [name] },
    });
  });

  it('keeps what was taken before a refusal, and names the rest', async () => {
    platform.results.push({ status: 'done', body: {} }, { status: 'rejected', reason: 'locked' });
    expect(await platform.engineFor([name, notes]).engine.update('1', before)).toEqual({
      status: 'applied',
      payload: { name: 'New', notes: '' },
      refused: { changes: [notes], reason: 'locked' },
    });
  });

  it('is a conflict where another user has changed its field, and sends nothing', async () => {
    platform.record = { name: 'Theirs', notes: '' };
    expect(await platform.engineFor([name]).engine.update('1', before)).toEqual({
      status: 'conflict',
      current: platform.record,
    });
    expect(platform.sent).toEqual([]);
  });

  it('names a stale version three times, and then is a conflict', async () => {
    platform.results.push(...Array.from({ length: 9 }, (): UpdateResult => ({ status: 'stale' })));
    expect(await platform.engineFor([name]).engine.update('1', before)).toMatchObject({ status: 'conflict' });
    expect(platform.sent).toHaveLength(4);
  });

  it('is deferred while the platform shows the stale version', async () => {
    platform.results.push({ status: 'stale' });
    const { engine } = platform.engineFor([name], { isReplaced: () => true });
    expect(await engine.update('1', before)).toEqual({
      status: 'deferred',
      until: SOON,
      reason: 'platform_b still shows an older version of the record',
    });
  });

  it('was refused where the platform shows another value, unless an answer shows that it was made', async () => {
    platform.behind = () => {
      platform.record = { name: 'Other', notes: '' };
    };
    expect(await platform.engineFor([name]).engine.update('1', before)).toMatchObject({
      status: 'rejected',
      reason: 'made something else of name',
    });
    platform.record = before;
    const { engine } = platform.engineFor([name], { wasMade: () => true });
    expect(await engine.update('1', before)).toMatchObject({ status: 'applied', replaced: [name] });
  });

  it('is uncertain where only a readable response proves it, and there is none', async () => {
    platform.results.push({ status: 'done', body: undefined });
    const { engine } = platform.engineFor([name], {
      updateCalls: () => [
        {
          changes: [name],
          needsResponse: true,
          send: () => Promise.resolve({ status: 'done', body: undefined }),
        },
      ],
    });
    expect(await engine.update('1', before)).toEqual({ status: 'uncertain' });
  });

  it('that is not shown is sent again only when the platform cannot be late any more', async () => {
    const { engine } = platform.engineFor([name]);
    expect(await engine.settleUpdate('1', attempt(1_999))).toEqual({
      status: 'uncertain',
      until: new Date('2026-03-01T10:00:02.000Z'),
    });
    expect(await engine.settleUpdate('1', attempt(2_000))).toEqual({ status: 'not_applied' });
    platform.record = { name: 'Theirs', notes: '' };
    expect(await engine.settleUpdate('1', attempt(2_000))).toEqual({
      status: 'held',
      reason: 'another user has changed name; nobody can tell whether the change was made before',
    });
  });
});

describe('a creation', () => {
  let platform: FakePlatform;
  const creation = (): WriteSteps['creation'] => () =>
    Promise.resolve(() => Promise.resolve(platform.creation));
  const create = () => platform.engineFor([name, notes], { creation: creation() }).engine.create(null);
  beforeEach(() => {
    platform = new FakePlatform();
    platform.record = { name: 'New', notes: '' };
  });

  it('is completed once its ID is known, and is never rejected after that', async () => {
    platform.creation = { status: 'done', body: { id: '7' } };
    expect(await create()).toMatchObject({ status: 'applied', payload: { name: 'New', notes: 'N' } });
    platform.record = { name: 'New', notes: '' };
    platform.results.push({ status: 'rejected', reason: 'locked' });
    expect(await create()).toEqual({
      status: 'applied',
      payload: { name: 'New', notes: '' },
      refused: { changes: [notes], reason: 'locked' },
    });
  });

  it('keeps what another user has changed since the response, and sends again what the platform changed', async () => {
    platform.record = { name: 'Theirs', notes: '' };
    platform.creation = { status: 'done', body: { id: '7', name: 'New', notes: '' } };
    expect(await create()).toEqual({
      status: 'applied',
      payload: { name: 'Theirs', notes: 'N' },
      refused: { changes: [name], reason: expect.stringContaining('Theirs'), isUnknown: true },
    });
    expect(platform.sent).toEqual(['notes']);
  });

  it('is uncertain where the response names no ID, and where the rest is deferred', async () => {
    platform.creation = { status: 'done', body: undefined };
    expect(await create()).toEqual({ status: 'uncertain' });
    platform.creation = { status: 'done', body: { id: '7' } };
    platform.results.push({ status: 'deferred', until: SOON, reason: 'busy' });
    expect(await create()).toEqual({ status: 'uncertain', until: SOON });
  });

  it('that finds its key taken is done if the record there has all that was sent', async () => {
    const otherwise = { status: 'rejected', reason: 'exists' } as const;
    platform.creation = { status: 'duplicate', otherwise };
    expect(await create()).toEqual(otherwise);
    platform.candidates = [{ id: '7', record: { name: 'New', notes: 'Theirs' } }];
    expect(await create()).toEqual({ status: 'uncertain' });
    const record = { name: 'New', notes: 'N' };
    platform.candidates = [{ id: '7', record }];
    expect(await create()).toEqual({ status: 'applied', payload: record });
  });

  it('without a response is settled by the record that has appeared', async () => {
    const settle = (ms: number, over: Partial<Attempt> = {}) =>
      platform.engineFor([name, notes], { creation: creation() }).engine.settleCreation(attempt(ms, over));
    expect(await settle(2_000)).toMatchObject({ status: 'uncertain' });
    expect(await settle(60_000)).toEqual({ status: 'not_applied' });
    const theirs = { id: '7', record: { name: 'New', notes: 'Theirs' } };
    platform.candidates = [theirs];
    expect(await settle(2_000)).toMatchObject({ status: 'uncertain' });
    expect(await settle(60_000)).toEqual({ status: 'held', reason: '7 has another notes' });
    platform.candidates = [theirs, { ...theirs, id: '8' }];
    expect(await settle(2_000)).toEqual({ status: 'held', reason: 'several: 7, 8' });
    platform.record = undefined;
    const made = { createdAs: '7', changes: [] };
    expect(await settle(60_000, { made })).toEqual({ status: 'held', reason: 'created and gone' });
  });

  it('that is known by its ID keeps what another user has changed since', async () => {
    platform.record = { name: 'Theirs', notes: '' };
    const over: Partial<WriteSteps> = {
      creation: creation(),
      shownOtherwise: (record) => [name].filter((one) => !isShown(one, record)),
    };
    const { engine } = platform.engineFor([name, notes], over);
    const made = { createdAs: '7', changes: [] };
    expect(await engine.settleCreation(attempt(60_000, { made }))).toEqual({
      status: 'applied',
      payload: { name: 'Theirs', notes: 'N' },
      refused: { changes: [name], reason: expect.stringContaining('Theirs'), isUnknown: true },
    });
    expect(platform.sent).toEqual(['notes']);
  });
});
