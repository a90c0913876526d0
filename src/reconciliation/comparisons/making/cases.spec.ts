import type { Money } from '@app/mapper';
import { undated } from '../../../records/objects/document-dates';
import { fc } from '../../../../libs/mapper/src/testing/property';
import { idOf, type Case, type ObjectOfCases } from '../case-parts';
import { timeOfMilliseconds, unreviewed } from '../../annotations/review';
import { caseFrom, readCase } from '../../cases/showing/case-record';
import { casesOf, itemsOf, itemsOfPair } from './cases';
import type { CaseRow } from '../../cases/listing/case-row';
import {
  isOnLeft,
  isOnRight,
  states,
  type AmountComparison,
  type Difference,
  type PairComparison,
  type State,
} from '../comparison';
import { converterInto } from '../conversion';
import { figuresOf } from '../../statement/figures/figures';
import { partOfProject, rowsOfStatement, TallyBook } from '../../statement/figures/tally';

// Rates lead from QAR and AED to USD; GBP has one to QAR alone, JPY none at all.
const quotes = [{ from: 'GBP', to: 'QAR', rate: '4.8' }];
const convert = converterInto('USD', quotes);
const money: fc.Arbitrary<Money> = fc.record({
  amount: fc.integer({ min: -1e7, max: 1e7 }),
  currency: fc.constantFrom('USD', 'QAR', 'AED', 'GBP', 'JPY'),
});
const project = fc.constantFrom('proj_1', 'proj_2', null);
const unreadAmounts = new Map();
const platforms = { left: 'platform_a', right: 'platform_b' } as const;

const pairs: fc.Arbitrary<PairComparison> = fc
  .record({
    state: fc.constantFrom<State>(...states),
    left: fc.option(money),
    right: fc.option(money),
    verdict: fc.constantFrom<AmountComparison>('equal', 'differ', 'no_rate'),
    projects: fc.tuple(project, project),
  })
  .map(({ state, left, right, verdict, projects }): PairComparison => {
    const leftAmount = isOnLeft(state) ? left : null;
    const rightAmount = isOnRight(state) ? right : null;
    const both = leftAmount !== null && rightAmount !== null;
    const sameCurrency = leftAmount?.currency === rightAmount?.currency;
    const same = sameCurrency && leftAmount?.amount === rightAmount?.amount;
    const amounts = !both ? undefined : same ? 'equal' : sameCurrency ? 'differ' : verdict;
    const differences =
      amounts === undefined || amounts === 'equal' ? [] : [differenceOf(amounts, leftAmount, rightAmount)];
    const linked = isOnLeft(state) && isOnRight(state);
    const leftProject = isOnLeft(state) ? projects[0] : null;
    const rightProject = isOnRight(state) ? projects[1] : null;
    const differ = differences.length > 0 || leftProject !== rightProject;
    const found = linked ? (differ ? 'disagree' : 'agree') : state;
    return {
      ...platforms,
      state: found,
      leftAmount,
      rightAmount,
      leftProject,
      rightProject,
      leftDates: undated,
      rightDates: undated,
      amounts,
      differences,
    };
  });

function differenceOf(verdict: 'differ' | 'no_rate', left: Money | null, right: Money | null): Difference {
  const saying = (platform: 'platform_a' | 'platform_b', amount: Money | null) => ({
    platform,
    canonical: amount && { amount: amount.amount, currency: amount.currency },
    native: '1',
    path: 'amount',
  });
  return {
    field: 'amount',
    kind: verdict === 'no_rate' ? 'no_rate' : 'differs',
    left: saying('platform_a', left),
    right: saying('platform_b', right),
    stands: 'platform_a',
    why: 'it comes first by default',
  };
}

function objectOf({ state, leftProject, rightProject }: PairComparison, more: object = {}): ObjectOfCases {
  const here = [...(isOnLeft(state) ? ['platform_a'] : []), ...(isOnRight(state) ? ['platform_b'] : [])];
  return {
    id: 'pay_1',
    entityType: 'payment',
    projects: new Map([
      ...(isOnLeft(state) ? [['platform_a', leftProject] as const] : []),
      ...(isOnRight(state) ? [['platform_b', rightProject] as const] : []),
    ]),
    candidates: [],
    numbers: new Map(),
    copies: here.map((platform) => ({ platform, platformId: `of ${platform}` })),
    ...more,
  } as unknown as ObjectOfCases;
}

const scopes = fc.constantFrom(undefined, 'proj_1', 'proj_2');

/** A case in a list, read back as it is stored. */
function listed(one: Case, place: number, scope: string | undefined) {
  const row: CaseRow = {
    id: one.id,
    object_id: `pay_${place}`,
    kind: one.kind,
    entity_type: 'payment',
    left_platform: one.left,
    right_platform: one.right,
    platform: one.platform,
    platform_id: one.platformId,
    field: one.field,
    project_id: one.projectId,
    difference: one.difference?.toString() ?? null,
    weight: '0',
    opened: '0',
    aged: '0',
    document_date: one.documentDate,
    due_date: one.dueDate,
    closed_at: null,
    closed_by: null,
    closed_by_id: null,
    values_digest: one.valuesDigest,
    detail: JSON.stringify(one.detail),
  };
  const answer = caseFrom(readCase(row), {
    asOf: 0,
    time: timeOfMilliseconds(0),
    currency: 'USD',
    review: unreviewed,
    list: scope === undefined ? 'all' : 'project',
    names: new Map(),
    addresses: new Map(),
    isElsewhere: () => false,
    settling: { live: new Set(), createMissing: undefined },
    reasonOf: () => ({ reason: null, decidedBy: null }),
  });
  return { ...answer, difference: answer.difference && BigInt(String(answer.difference.amount)) };
}

describe('cases', () => {
  it('add up to the line of their kind', () => {
    fc.assert(
      fc.property(fc.array(pairs, { maxLength: 20 }), scopes, (books, scope) => {
        const tallies = new TallyBook(convert, 0);
        const sums = new Map<string, bigint>();
        for (const [place, pair] of books.entries()) {
          const part = partOfProject(pair, scope);
          if (part !== undefined) tallies.add({ ...part, entityType: 'payment', openedAt: undefined });
          for (const one of casesOf(
            objectOf(pair),
            { pairs: [pair], unreadable: [], unreadAmounts },
            convert,
          )) {
            if (scope !== undefined && one.projectId !== scope) continue;
            const { kind, platform, difference } = listed(one, place, scope);
            const name = kind === 'only_on' ? `${kind} ${platform}` : kind;
            sums.set(name, (sums.get(name) ?? 0n) + (difference ?? 0n));
          }
        }
        const [figures] = figuresOf(tallies.all, ['payment']);
        const lineOf = (cause: string) => figures?.totals?.lines.find((line) => line.cause === cause)?.amount;
        for (const [kind, cause] of [
          ['only_on platform_a', 'only_left'],
          ['only_on platform_b', 'only_right'],
          ['ambiguous', 'ambiguous'],
          ['other_project', 'other_project'],
          ['disagreement', 'amounts_disagree'],
          ['unreadable', 'no_amount'],
          ['not_comparable', 'not_comparable'],
        ] as const) {
          expect([kind, sums.get(kind) ?? 0n]).toEqual([kind, lineOf(cause)]);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('add up to the line of their kind in a statement of documents up to a day, which foots', () => {
    const day = fc.constantFrom(null, '2026-06-29', '2026-06-30', '2026-07-01');
    const dated = fc.tuple(pairs, day, day).map(([pair, left, right]): PairComparison => ({
      ...pair,
      leftDates: { date: isOnLeft(pair.state) ? left : null, due: null },
      rightDates: { date: isOnRight(pair.state) ? right : null, due: null },
    }));
    const through = fc.constantFrom('2026-06-29', '2026-06-30', '2026-07-01');
    fc.assert(
      fc.property(fc.array(dated, { maxLength: 20 }), scopes, through, (books, scope, until) => {
        const tallies = new TallyBook(convert, 0);
        const sums = new Map<string, bigint>();
        const add = (name: string, amount: bigint) => sums.set(name, (sums.get(name) ?? 0n) + amount);
        for (const [place, pair] of books.entries()) {
          for (const row of rowsOfStatement(pair, scope, until))
            tallies.add({ ...row, entityType: 'payment', openedAt: undefined });
          for (const [amount, { date }, project, isLeft] of [
            [pair.leftAmount, pair.leftDates, pair.leftProject, true],
            [pair.rightAmount, pair.rightDates, pair.rightProject, false],
          ] as const) {
            const minor = (amount === null ? undefined : convert(amount)) ?? 0n;
            if (scope !== undefined && project !== scope) continue;
            if (date !== null && date > until)
              add(isLeft ? 'after_left' : 'after_right', isLeft ? -minor : minor);
          }
          for (const one of casesOf(
            objectOf(pair),
            { pairs: [pair], unreadable: [], unreadAmounts },
            convert,
          )) {
            if (scope !== undefined && one.projectId !== scope) continue;
            if (one.listedFrom !== null && one.listedFrom > until) continue;
            if (one.listedBefore !== null && one.listedBefore <= until) continue;
            const { kind, platform, difference } = listed(one, place, scope);
            add(kind === 'only_on' ? `${kind} ${platform}` : kind, difference ?? 0n);
          }
        }
        const [figures] = figuresOf(tallies.all, ['payment']);
        const { from, lines, to } = figures?.totals ?? { lines: [] };
        expect(lines.reduce((sum, { amount }) => sum + amount, from?.amount ?? 0n)).toBe(to?.amount);
        for (const [kind, cause] of [
          ['only_on platform_a', 'only_left'],
          ['only_on platform_b', 'only_right'],
          ['ambiguous', 'ambiguous'],
          ['other_project', 'other_project'],
          ['disagreement', 'amounts_disagree'],
          ['unreadable', 'no_amount'],
          ['not_comparable', 'not_comparable'],
          ['after_left', 'after_left'],
          ['after_right', 'after_right'],
        ] as const) {
          const line = lines.find((one) => one.cause === cause);
          expect([kind, sums.get(kind) ?? 0n]).toEqual([kind, line?.amount]);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('are among the open items of their object, so that each has an age', () => {
    fc.assert(
      fc.property(pairs, (pair) => {
        const comparison = { pairs: [pair], unreadable: [], unreadAmounts };
        const items = casesOf(objectOf(pair), comparison, convert).map(({ item }) => item);
        expect(new Set(items)).toEqual(itemsOf(comparison, convert));
      }),
    );
  });
});

describe('a case', () => {
  const [a, b] = ['platform_a', 'platform_b'] as const;
  const usd = (amount: number): Money => ({ amount, currency: 'USD' });
  const linked: PairComparison = {
    ...platforms,
    state: 'disagree',
    leftAmount: usd(100),
    rightAmount: usd(130),
    leftProject: 'proj_1',
    rightProject: 'proj_1',
    leftDates: { date: '2026-06-01', due: null },
    rightDates: { date: '2026-06-01', due: '2026-07-01' },
    amounts: 'differ',
    differences: [],
  };
  const differing = { ...linked, differences: [differenceOf('differ', usd(100), usd(130))] };
  const alone: PairComparison = {
    ...linked,
    ...{ state: 'only_right', leftAmount: null, leftProject: null, leftDates: undated, amounts: undefined },
  };
  const records = [
    { platform: a, platform_id: 'a1' },
    { platform: b, platform_id: 'b1' },
  ];
  const object = objectOf(linked, {
    copies: records.map((one) => ({ platform: one.platform, platformId: one.platform_id })),
    numbers: new Map([[b, 'CHK-1']]),
    candidates: [
      { platform: a, platformId: 'a9', canonicalId: 'pay_9', linked: true },
      { platform: b, platformId: 'b9', canonicalId: 'pay_8', linked: false },
    ],
  });
  const casesFrom = (pair: PairComparison, unreadable: Parameters<typeof casesOf>[1]['unreadable'] = []) =>
    casesOf(object, { pairs: [pair], unreadable, unreadAmounts }, convert);

  it('of a field has both values, what stands, and the days of the records', () => {
    expect(casesFrom(differing)).toMatchObject([
      {
        ...{ id: idOf('disagreement', a, b, 'pay_1', 'amount'), kind: 'disagreement', field: 'amount' },
        ...{ platform: null, platformId: null, projectId: 'proj_1', difference: 30n },
        ...{ leftCurrency: 'USD', rightCurrency: 'USD' },
        ...{
          documentDate: '2026-06-01',
          dueDate: '2026-07-01',
          listedFrom: '2026-06-01',
          listedBefore: null,
        },
        detail: {
          values: {
            platform_a: { canonical: usd(100), native: '1', path: 'amount' },
            platform_b: { canonical: usd(130), native: '1', path: 'amount' },
          },
          ...{ stands: a, why: 'it comes first by default', records },
        },
      },
    ]);
    const words = { field: 'notes', kind: 'differs', stands: b, why: 'agreed' } as const;
    const said = (platform: typeof a | typeof b, canonical: string) => ({
      ...{ platform, canonical, native: canonical, path: null },
    });
    const notes = { ...words, left: said(a, 'x'), right: said(b, 'y') };
    expect(casesFrom({ ...linked, amounts: 'equal', differences: [notes] })).toMatchObject([
      {
        ...{ id: idOf('disagreement', a, b, 'pay_1', 'notes'), difference: null },
        ...{ leftCurrency: null, rightCurrency: null },
      },
    ]);
  });

  it('of a field has the first record’s day, and is listed from the day of the last', () => {
    const earlier = { date: '2026-05-31', due: null };
    expect(casesFrom({ ...differing, leftDates: earlier })[0]).toMatchObject({
      ...{ documentDate: '2026-05-31', dueDate: '2026-07-01', listedFrom: '2026-06-01' },
    });
    expect(casesFrom({ ...differing, rightDates: undated })[0]).toMatchObject({
      ...{ documentDate: '2026-06-01', dueDate: null, listedFrom: '2026-06-01' },
    });
  });

  it('of two amounts without a rate between them is none of a disagreement', () => {
    const pounds = { amount: 80, currency: 'GBP' };
    const differences = [differenceOf('no_rate', usd(100), pounds)];
    expect(casesFrom({ ...linked, rightAmount: pounds, amounts: 'no_rate', differences })[0]).toMatchObject({
      ...{ id: idOf('not_comparable', a, b, 'pay_1', 'amount'), kind: 'not_comparable', field: 'amount' },
    });
  });

  it('of one record names the platform that lacks it, with its own key, amount and days', () => {
    const [one] = casesFrom(alone);
    expect(one).toMatchObject({
      ...{ id: idOf('only_on', 'payment', b, 'b1', a), kind: 'only_on', platform: b, platformId: 'b1' },
      ...{ field: null, projectId: 'proj_1', difference: 130n, leftCurrency: null, rightCurrency: 'USD' },
      ...{ documentDate: '2026-06-01', dueDate: '2026-07-01', listedFrom: '2026-06-01' },
    });
    expect(one?.detail).toEqual({ missing_on: a, number: 'CHK-1', amount: usd(130), records });
  });

  it('of a record with a candidate names the candidates on the platform that lacks it', () => {
    const [one] = casesFrom({ ...alone, state: 'ambiguous_right' });
    expect(one).toMatchObject({
      ...{ id: idOf('ambiguous', 'payment', b, 'b1', a), kind: 'ambiguous' },
      detail: {
        candidates: [{ platform: a, platform_id: 'a9', canonical_id: 'pay_9', linked: true }],
      },
    });
  });

  it('of two projects is one of each record, in its own project', () => {
    const cases = casesFrom({ ...linked, amounts: 'equal', rightProject: 'proj_2' });
    const projects = { platform_a: 'proj_1', platform_b: 'proj_2' };
    const common = { kind: 'other_project', field: 'project_id' };
    expect(cases).toMatchObject([
      {
        ...{ ...common, id: idOf('other_project', a, b, 'payment', a, 'a1'), platform: a, platformId: 'a1' },
        ...{ projectId: 'proj_1', difference: -100n, leftCurrency: 'USD', rightCurrency: null },
        detail: { number: null, amount: usd(100), projects, records },
      },
      {
        ...{ ...common, id: idOf('other_project', a, b, 'payment', b, 'b1'), platform: b, platformId: 'b1' },
        ...{ projectId: 'proj_2', difference: 130n, leftCurrency: null, rightCurrency: 'USD' },
        detail: { number: 'CHK-1', amount: usd(130), projects, records },
      },
    ]);
  });

  it('of one of two records has the days of that record', () => {
    const rightDates = { date: '2026-06-20', due: '2026-06-30' };
    expect(casesFrom({ ...linked, amounts: 'equal', rightProject: 'proj_2', rightDates })).toMatchObject([
      { platform: a, documentDate: '2026-06-01', dueDate: null },
      { platform: b, documentDate: '2026-06-20', dueDate: '2026-06-30' },
      { kind: 'only_on' },
    ]);
  });

  it('of a field that cannot be read has the native path and the problem, once', () => {
    const problem = { platform: b, path: 'postingDate', problem: 'expected a date', native: 'never' };
    const cases = casesFrom({ ...linked, amounts: 'equal' }, [problem, { ...problem, problem: 'another' }]);
    expect(cases).toMatchObject([
      {
        ...{ id: idOf('unreadable', b, 'payment', 'b1', 'postingDate'), kind: 'unreadable' },
        ...{ platform: b, field: 'postingDate', dueDate: '2026-07-01', documentDate: '2026-06-01' },
        detail: { problem: 'expected a date', records: [{ platform: b, platform_id: 'b1' }] },
      },
    ]);
  });

  it('of two dates is listed from the first day until the second, with the record of the first alone', () => {
    const dates = { date: '2026-06-20', due: '2026-06-30' };
    const [later] = casesFrom({ ...linked, state: 'agree', amounts: 'equal', rightDates: dates });
    expect(later).toMatchObject({
      ...{ id: idOf('cut_off', 'payment', a, 'a1', b), kind: 'only_on', platform: a, difference: -100n },
      ...{ documentDate: '2026-06-01', dueDate: null, listedFrom: '2026-06-01', listedBefore: '2026-06-20' },
      ...{ leftCurrency: 'USD', rightCurrency: null },
    });
    const [sooner] = casesFrom({
      ...{ ...linked, state: 'agree', amounts: 'equal', rightDates: linked.leftDates, leftDates: dates },
    });
    expect(sooner).toMatchObject({
      ...{ id: idOf('cut_off', 'payment', b, 'b1', a), platform: b, difference: 130n },
      ...{ listedFrom: '2026-06-01', listedBefore: '2026-06-20' },
    });
  });
});

describe('the items by which an object stands as it does', () => {
  const agreed: PairComparison = {
    ...platforms,
    state: 'agree',
    ...{ leftAmount: null, rightAmount: null, leftProject: null, rightProject: null, amounts: undefined },
    ...{ leftDates: undated, rightDates: undated, differences: [] },
  };
  const days = { date: '2026-06-01', due: null };
  const others = { date: '2026-06-02', due: null };
  const pair = `${platforms.left} ${platforms.right}`;

  it.each<[string, Partial<PairComparison>, readonly string[]]>([
    ['none, where it agrees', {}, []],
    ['that only one platform has it', { state: 'only_left' }, [`apart ${pair}`]],
    ['its fields', { differences: [differenceOf('differ', null, null)] }, [`field ${pair} amount`]],
    ['an amount of unknown currency', { amounts: 'no_rate' }, [`amount ${pair}`]],
    [
      'an amount of unknown currency beside one that is known',
      { amounts: 'no_rate', leftAmount: { amount: 1, currency: 'USD' } },
      [`amount ${pair}`],
    ],
    [
      'no amount of unknown currency where both are known',
      {
        ...{ amounts: 'no_rate', differences: [differenceOf('no_rate', null, null)] },
        ...{ leftAmount: { amount: 1, currency: 'USD' }, rightAmount: { amount: 1, currency: 'GBP' } },
      },
      [`field ${pair} amount`],
    ],
    ['its projects', { leftProject: 'proj_1', rightProject: 'proj_2' }, [`project ${pair}`]],
    ['its days, where all else agrees', { leftDates: days, rightDates: others }, [`dates ${pair}`]],
    [
      'its fields before its days',
      { leftDates: days, rightDates: others, differences: [differenceOf('differ', null, null)] },
      [`field ${pair} amount`],
    ],
  ])('are %s', (_name, changed, items) => {
    expect(itemsOfPair({ ...agreed, ...changed })).toEqual(items);
  });
});
