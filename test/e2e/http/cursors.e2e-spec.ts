import { fc, randomCases, seed } from '../../../libs/mapper/src/testing/property';
import { api, type ApiResponse } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { decide, withdraw, type RecordText } from '../../support/customers/deciding';
import { connect, listing } from '../../support/customers/listings';
import { platforms } from '../../support/customers/portfolio';

jest.setTimeout(120_000);

/** Cursors for each list. `FC_TIMES=100` looks further. */
const runs = randomCases(150);

type Client = ReturnType<typeof api>;

/** What {@link decoded} finds in a cursor: its version, the digest of its query, and its position. */
type Parts = [version: unknown, binding: unknown, position: unknown[]];

const encoded = (parts: unknown): string => Buffer.from(JSON.stringify(parts)).toString('base64url');
const decoded = (cursor: string): Parts => JSON.parse(Buffer.from(cursor, 'base64url').toString()) as Parts;

/** Values that no sort key takes, or that only another one takes. */
const strangeKeys: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    '',
    'infinity',
    '-infinity',
    '294277-01-01T00:00:00.000000Z',
    '0000-01-01T00:00:00.000000Z',
    '2026-02-30 10:00:00+00',
    '2026-02-30T10:00:00.000000Z',
    '99999-01-01 00:00:00+00',
    '4713-01-01 BC',
    'now',
    'payment',
    'zzz',
    '9223372036854775807',
    '9223372036854775808',
    '-9223372036854775809',
    '999999999999999999',
    '9999999999999999',
    '-9999999999999999',
    '1e5',
    ' 1',
    '１',
    'a\0b',
    '\ud800',
    'e3b0c442-98fc-4c14-9afb-f4c8996fb924',
    'e3b0c442-98fc-4c14-9afb-f4c8996fb92',
    8.64e15,
    -8.64e15,
    8_640_000_000_000_001,
    253_402_300_800_000,
    -1,
    0.5,
    Number.MAX_SAFE_INTEGER,
    1e308,
    null,
    true,
    [],
    {},
    ['a'],
  ),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.integer(),
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
);

/** A position with some of its keys replaced, missing or too many. */
const positionLike = (position: readonly unknown[]): fc.Arbitrary<readonly unknown[]> =>
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc
        .tuple(fc.nat(position.length - 1), strangeKeys)
        .map(([at, key]) => position.with(at, key)),
    },
    { weight: 3, arbitrary: fc.tuple(...position.map((key) => fc.oneof(fc.constant(key), strangeKeys))) },
    { weight: 1, arbitrary: fc.array(strangeKeys, { maxLength: 6 }) },
  );

const cursorLike = (cursor: string): fc.Arbitrary<string> => {
  const [version, binding, position] = decoded(cursor);
  return fc.oneof(
    { weight: 8, arbitrary: positionLike(position).map((other) => encoded([version, binding, other])) },
    { weight: 1, arbitrary: strangeKeys.map((other) => encoded([other, binding, position])) },
    { weight: 1, arbitrary: strangeKeys.map((other) => encoded([version, other, position])) },
    { weight: 1, arbitrary: fc.nat(cursor.length).map((end) => cursor.slice(0, end)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '%FF%FE',
        '%00',
        '%C0%80',
        '%ED%A0%80',
        Buffer.from([0xff, 0xfe, 0x5b, 0x5d]).toString('base64url'),
        encoded('['.repeat(2_000)),
        'a'.repeat(9_000),
        encodeURIComponent('"\'\\;--'),
      ),
    },
  );
};

describe(`cursors from outside (FC_SEED=${seed})`, () => {
  let service: RunningApp;
  let client: Client;
  let other: Client;
  /** Lists that have a second page, with the first answer of each, `limit` left out. */
  const lists = new Map<string, { readonly cursor: string; readonly ids: ReadonlySet<string> }>();

  const idsIn = ({ body }: ApiResponse): readonly string[] =>
    body.data.map((row: Record<string, unknown>) => String(row['canonical_id'] ?? row['id']));
  const separator = (path: string): string => (path.includes('?') ? '&' : '?');
  const goOn = (path: string, cursor: string, as = client): Promise<ApiResponse> =>
    as.get(`${path}${separator(path)}cursor=${cursor}`);

  async function fill(as: Client): Promise<string> {
    for (const platform of platforms) await connect(as, platform);
    const payments = await listing(as, 'platform_a', 'payment');
    const there = await listing(as, 'platform_b', 'payment');
    const [one, two] = payments.filter(({ mappings }) => mappings.length === 1);
    const alone = there.filter(({ mappings }) => mappings.length === 1);
    for (const [place, { id }] of alone.slice(0, 2).entries()) {
      const name: RecordText = `platform_a ${(place === 0 ? one : two)?.id ?? payments[0]?.id ?? ''}`;
      await decide(as, 'not_same', 'payment', [name, `platform_b ${id}`]);
    }
    const linked = payments.find(({ mappings }) => mappings.length === 2);
    if (linked === undefined) throw new Error('No payment is linked');
    for (const notes of ['One', 'Two', 'Three']) {
      await as.post('/propagate', {
        format: 'platform',
        platform: 'platform_a',
        platform_id: linked.id,
        entity_type: 'payment',
        data: { notes },
      });
    }
    const pair = linked.mappings.map(({ platform, platform_id: id }): RecordText => `${platform} ${id}`);
    const [left, right] = pair;
    if (left === undefined || right === undefined) throw new Error('A linked payment has two records');
    for (let round = 0; round < 2; round += 1) {
      const { body } = await decide(as, 'not_same', 'payment', [left, right]);
      await withdraw(as, body.data.id);
    }
    return linked.canonical_id;
  }

  beforeAll(async () => {
    service = await startApp();
    client = api(service.url, (await service.issueKey('test')).key);
    other = api(service.url, (await service.issueKey('test')).key);
    const object = await fill(client);
    for (const platform of platforms) await connect(other, platform);
    for (const path of [
      '/objects?platform=platform_a&entity_type=payment',
      '/objects?platform=platform_b&entity_type=payment',
      '/objects?platform=platform_a&entity_type=contract&modified_after=2020-01-01',
      '/objects?platform=platform_a&entity_type=contract&include_deleted=true',
      `/objects/${object}/history`,
      '/reconciliation/cases',
      '/reconciliation/cases?sort=age',
      '/reconciliation/cases?sort=amount',
      '/reconciliation/cases?sort=type',
      '/reconciliation/cases?age=0-30',
      '/reconciliation/decisions',
      '/reconciliation/decisions?status=withdrawn',
    ]) {
      const whole = await client.get(`${path}${separator(path)}limit=500`);
      const { body, status } = await client.get(`${path}${separator(path)}limit=1`);
      expect({ path, status, next: typeof body.next_cursor }).toEqual({ path, status: 200, next: 'string' });
      lists.set(path, { cursor: body.next_cursor, ids: new Set(idsIn(whole)) });
    }
  });
  afterAll(() => service.close());

  /** A cursor is taken and leads to the customer's own rows, or is refused by name. */
  function expectTakenOrRefused(answer: ApiResponse, own: ReadonlySet<string>, what: string): void {
    if (answer.status === 200) {
      for (const id of idsIn(answer)) expect(own).toContain(id);
      return;
    }
    expect({ what, status: answer.status, type: answer.body.error?.type }).toEqual({
      what,
      status: 400,
      type: 'VALIDATION_ERROR',
    });
    expect(answer.body.error.message).toContain('cursor');
  }

  it('are refused with 400 or lead to rows of the list, whatever their keys are', async () => {
    const statuses = new Set<number>();
    for (const [path, { cursor, ids }] of lists) {
      await fc.assert(
        fc.asyncProperty(cursorLike(cursor), async (text) => {
          const answer = await goOn(path, text);
          statuses.add(answer.status);
          expectTakenOrRefused(answer, ids, `${path} ${text}`);
        }),
        { numRuns: Math.ceil(runs / lists.size), seed, endOnFailure: true },
      );
    }
    expect(statuses).toContain(400);
  });

  it('of each form that a list gives out go on with no other list', async () => {
    for (const [path, { ids }] of lists) {
      for (const [from, { cursor }] of lists) {
        const answer = await goOn(path, cursor);
        if (from === path) expect(answer.status).toBe(200);
        else {
          expect({ path, from, status: answer.status }).toEqual({ path, from, status: 400 });
          expect(answer.body.error.message).toContain('cursor');
        }
        // As if its digest were of this query: then the keys decide.
        const [version, binding] = decoded(lists.get(path)?.cursor ?? '');
        const [, , position] = decoded(cursor);
        expectTakenOrRefused(await goOn(path, encoded([version, binding, position])), ids, `${path} ${from}`);
      }
    }
  });

  it('of another customer are refused', async () => {
    for (const [path, { cursor }] of lists) {
      const answer = await goOn(path, cursor, other);
      // The other's object has another ID, so its history is not there.
      expect({ path, status: answer.status }).toEqual({ path, status: 400 });
      expect(answer.body.error.message).toContain('cursor');
    }
  });

  it('are refused when they are given twice, empty, or under another form of the name', async () => {
    for (const [path, { cursor }] of lists) {
      const given = `${path}${separator(path)}cursor=`;
      expect((await client.get(`${given}${cursor}&cursor=${cursor}`)).body.error?.message).toContain(
        'cursor',
      );
      expect((await client.get(given)).body.error?.message).toContain('cursor');
    }
  });
});
