import type { Statement } from '../../data/queries';
import type { FigureChange } from '../../data/signoffs';

type Type = Statement['types'][number];
type Totals = NonNullable<Type['totals']>;
type Value = FigureChange['before'];
type Figure = Omit<FigureChange, 'before' | 'after'> & { readonly value: Value };

/**
 * The figures in which two statements of one scope differ, in the order and the words of the API. They are the figures
 * that the digest covers. A figure that only one statement has counts as 0 in the other.
 */
export function movedFigures(before: Statement, now: Statement): readonly FigureChange[] {
  const was = byName(figuresOf(before));
  const is = byName(figuresOf(now));
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((name) => {
    const figure = is.get(name) ?? was.get(name);
    if (figure === undefined) return [];
    const { value, ...named } = figure;
    const none: Value = { count: 0, amount: value.amount && { ...value.amount, amount: 0 } };
    const change = { ...named, before: was.get(name)?.value ?? none, after: is.get(name)?.value ?? none };
    return isSame(change.before, change.after) ? [] : [change];
  });
}

function isSame(a: Value, b: Value): boolean {
  return a.count === b.count && a.amount?.amount === b.amount?.amount;
}

function byName(figures: readonly Figure[]): ReadonlyMap<string, Figure> {
  return new Map(
    figures.map((figure) => {
      const { entity_type: type, part, line, platform, value } = figure;
      return [[type, part, line, platform, value.amount?.currency].join(' '), figure];
    }),
  );
}

function figuresOf({ types, platforms }: Statement): Figure[] {
  return types.flatMap((type) => [
    ...countsOf(type, platforms),
    ...(type.totals === null ? [] : totalsOf(type.entity_type, type.totals)),
  ]);
}

function countsOf({ entity_type, counts }: Type, platforms: Statement['platforms']): Figure[] {
  const figure = (line: string, count: number, platform: Figure['platform'] = null): Figure => ({
    entity_type,
    part: 'counts',
    line,
    platform,
    value: { count, amount: null },
  });
  return [
    figure('agree', counts.agree),
    figure('disagree', counts.disagree),
    ...platforms.map((platform) => figure('only_on', counts.only_on[platform] ?? 0, platform)),
    figure('ambiguous', counts.ambiguous),
    figure('accepted', counts.accepted),
  ];
}

function totalsOf(entity_type: Type['entity_type'], { from, lines, to, outside }: Totals): Figure[] {
  const figure = (
    line: string,
    platform: Figure['platform'],
    count: number,
    amount: Value['amount'],
  ): Figure => ({
    entity_type,
    part: 'totals',
    line,
    platform,
    value: { count, amount },
  });
  return [
    ...[from, to].flatMap((side) => [
      figure('records', side.platform, side.records, null),
      figure('sum', side.platform, side.summed, side.sum),
      figure('without_amount', side.platform, side.without_amount, null),
    ]),
    ...lines.flatMap(({ cause, objects, amount, accepted }) => [
      figure(cause, null, objects, amount),
      figure(`accepted_of_${cause}`, null, accepted.objects, accepted.amount),
    ]),
    ...outside.map(({ platform, records, sum }) => figure('outside', platform, records, sum)),
  ];
}
