import { stringifyJson, type PlatformName } from '@app/mapper';
import type { KeptFigure } from '../../database/entities/statement-signoff.entity';
import { figuresOf } from '../statement/figures/figures';
import { statementFrom, type StatementBooks } from '../statement/statement-record';
import type { MoneySum, PlatformCounts, StatementType } from '../statement/statement.response';

/** The members of a type in a statement that figures stand in. */
export const figureParts = ['counts', 'totals'] as const;

/** One figure of a statement, as it was signed or is now. */
export interface SignedFigure extends Omit<KeptFigure, 'amount'> {
  /** In minor units of the currency; null for a figure that only counts. */
  readonly amount: bigint | null;
}

/** A figure that is not as it was signed. One that was not there, or is not any more, counts as 0. */
export interface FigureChange extends Omit<SignedFigure, 'count' | 'amount'> {
  readonly before: Pick<SignedFigure, 'count' | 'amount'>;
  readonly after: Pick<SignedFigure, 'count' | 'amount'>;
}

/**
 * The figures that a sign-off binds, in the order of the statement: all figures except ages, and except deleted
 * records, which are counted only as long as history is kept. With a cut-off day, the figures are those of documents up
 * to that day, so a later document changes none of them. Pure.
 */
export function signedFigures(books: StatementBooks): readonly SignedFigure[] {
  const within = books.tallies.filter(({ isAfter }) => !isAfter);
  const { types, platforms } = statementFrom({ ...books, figures: figuresOf(within, books.scope.types) });
  return types.flatMap((type) => [...countsOf(type, platforms), ...totalsOf(type)]);
}

function countsOf(
  { entity_type: entityType, counts }: StatementType,
  platforms: readonly PlatformName[],
): SignedFigure[] {
  const figure = (line: string, count: number, platform: PlatformName | null = null): SignedFigure => ({
    entityType,
    part: 'counts',
    line,
    platform,
    count,
    amount: null,
    currency: null,
  });
  const each = (line: string, byPlatform: PlatformCounts): SignedFigure[] =>
    platforms.map((platform) => figure(line, byPlatform[platform] ?? 0, platform));
  return [
    figure('agree', counts.agree),
    figure('disagree', counts.disagree),
    ...each('only_on', counts.only_on),
    figure('ambiguous', counts.ambiguous),
    figure('accepted', counts.accepted),
  ];
}

function totalsOf({ entity_type: entityType, totals }: StatementType): SignedFigure[] {
  if (totals === null) return [];
  const figure = (
    line: string,
    platform: PlatformName | null,
    count: number,
    sum?: MoneySum,
  ): SignedFigure => ({
    entityType,
    part: 'totals',
    line,
    platform,
    count,
    amount: sum === undefined ? null : BigInt(stringifyJson(sum.amount)),
    currency: sum?.currency ?? null,
  });
  const { from, lines, to, outside } = totals;
  return [
    ...[from, to].flatMap(({ platform, records, summed, without_amount: without, sum }) => [
      figure('records', platform, records),
      figure('sum', platform, summed, sum),
      figure('without_amount', platform, without),
    ]),
    // The lines of later documents are empty here.
    ...lines
      .filter(({ cause }) => !cause.startsWith('dated_after_'))
      .flatMap(({ cause, objects, amount, accepted }) => [
        figure(cause, null, objects, amount),
        ...(accepted.objects === 0
          ? []
          : [figure(`accepted_of_${cause}`, null, accepted.objects, accepted.amount)]),
      ]),
    ...outside.map(({ platform, records, sum }) => figure('outside', platform, records, sum)),
  ];
}

/** The figures that differ, in the order of the signed ones. A former release signed deleted records too. Pure. */
export function changesBetween(
  signed: readonly SignedFigure[],
  present: readonly SignedFigure[],
): readonly FigureChange[] {
  const [before, after] = [byName(signed.filter(({ line }) => line !== 'deleted')), byName(present)];
  return [...new Map([...before, ...after])].flatMap(([name, { count: _, amount, ...figure }]) => {
    const none = { count: 0, amount: amount === null ? null : 0n };
    const [was, is] = [before.get(name) ?? none, after.get(name) ?? none];
    if (was.count === is.count && was.amount === is.amount) return [];
    return [{ ...figure, before: valueOf(was), after: valueOf(is) }];
  });
}

function byName(figures: readonly SignedFigure[]): ReadonlyMap<string, SignedFigure> {
  return new Map(
    figures.map((figure) => {
      const { entityType, part, line, platform, currency } = figure;
      return [[entityType, part, line, platform, currency].join(' '), figure];
    }),
  );
}

function valueOf({
  count,
  amount,
}: Pick<SignedFigure, 'count' | 'amount'>): Pick<SignedFigure, 'count' | 'amount'> {
  return { count, amount };
}
