import { ExactNumber, findRate, quotesOf, type PlatformName, type RateQuote } from '@app/mapper';
import { ageGroups } from './figures/ages';
import type { IncompleteReason } from '../freshness/completeness';
import { digestOfJson } from '../comparisons/digest';
import type { Cause, ControlTotals, PlatformSum, TypeFigures } from './figures/figures';
import type { DatedRate } from '../comparisons/stored/comparison-context.repository';
import type {
  AgesResponse,
  ControlTotalsResponse,
  MoneySum,
  PlatformCounts,
  StatementResponse,
  StatementRate,
  StatementSum,
  StatementType,
} from './statement.response';
import type { DeletedCounts } from './figures/deleted-counts.repository';
import type { Tally } from './figures/tally';
import type { StatementScope } from './figures/tallies.repository';

/** All inputs of a statement. */
export interface StatementParts {
  readonly asOf: string;
  readonly scope: StatementScope;
  readonly figures: readonly TypeFigures[];
  readonly deleted: DeletedCounts;
  /** Of all amounts in the scope. */
  readonly currencies: readonly string[];
  readonly rates: readonly DatedRate[];
  readonly reasons: readonly IncompleteReason[];
}

/** The parts of a statement, with the data of which the figures are sums. */
export interface StatementBooks extends StatementParts {
  readonly tallies: readonly Tally[];
}

/** The statement in its public form. Pure. */
export function statementFrom(parts: StatementParts): StatementResponse {
  const { asOf, scope, figures, deleted, reasons } = parts;
  const { left, right, currency } = scope;
  const types = figures.map((one) => typeFrom(one, scope, deleted));
  const rates = ratesInto(currency, parts.currencies, parts.rates);
  const figuresOnly = {
    platforms: [left, right],
    currency,
    project_id: scope.projectId ?? null,
    ...(scope.through !== undefined && { through: scope.through }),
    types: types.map(({ ages: _ages, ...figure }) => digestedFigures(figure)),
    rates: rates.used.map(({ set_at: _setAt, quotes: _quotes, ...rate }) => rate),
    missing_rates: rates.missing,
  };
  return {
    as_of: asOf,
    complete: reasons.length === 0,
    reasons,
    platforms: [left, right],
    currency,
    project_id: scope.projectId ?? null,
    through: scope.through ?? null,
    types,
    rates: rates.used,
    missing_rates: rates.missing,
    digest: digestOfJson(figuresOnly),
  };
}

/**
 * The figures in the form from which their digest is made. Deleted records are left out, because they are counted only
 * as long as history is kept. Accepted parts are left out if nothing is accepted. So a statement without either has the
 * digest that former releases gave it.
 */
function digestedFigures({
  counts: { accepted, deleted, ...states },
  totals,
  ...figure
}: Omit<StatementType, 'ages'>): object {
  const none = Object.fromEntries(Object.keys(deleted).map((platform) => [platform, 0]));
  const counts = { ...states, deleted: none };
  return {
    ...figure,
    counts: accepted === 0 ? counts : { ...counts, accepted },
    totals: totals && {
      ...totals,
      lines: totals.lines.map(({ accepted: part, ...line }) =>
        part.objects === 0 ? line : { ...line, accepted: part },
      ),
    },
  };
}

function typeFrom(
  { entityType, counts, ages, totals }: TypeFigures,
  scope: StatementScope,
  deleted: DeletedCounts,
): StatementType {
  const { left, right } = scope;
  const gone = deleted.get(entityType);
  return {
    entity_type: entityType,
    counts: {
      agree: counts.agree,
      disagree: counts.disagree,
      only_on: byPlatform(scope, counts.only.left, counts.only.right),
      ambiguous: counts.ambiguous.left + counts.ambiguous.right,
      accepted: counts.accepted,
      deleted: byPlatform(scope, gone?.get(left) ?? 0, gone?.get(right) ?? 0),
    },
    // Every group has its number.
    ages: Object.fromEntries(ageGroups.map((group, place) => [group, ages[place] ?? 0])) as AgesResponse,
    totals: totals === undefined ? null : totalsFrom(totals, scope),
  };
}

function byPlatform({ left, right }: StatementScope, onLeft: number, onRight: number): PlatformCounts {
  return { [left]: onLeft, [right]: onRight };
}

function totalsFrom(
  { from, lines, to, outside }: ControlTotals,
  scope: StatementScope,
): ControlTotalsResponse {
  const { left, right, currency } = scope;
  return {
    from: sumFrom(left, from, currency),
    // In a statement of all projects all records count, whatever their projects.
    lines: lines
      .filter(({ cause }) => cause !== 'other_project' || scope.projectId !== undefined)
      .filter(({ cause }) => !cause.startsWith('after_') || scope.through !== undefined)
      .map(({ cause, objects, amount, accepted }) => ({
        cause: causeName(cause, scope),
        objects,
        amount: moneySum(amount, currency),
        accepted: { objects: accepted.objects, amount: moneySum(accepted.amount, currency) },
      })),
    to: sumFrom(right, to, currency),
    outside: outside.map((one) => ({
      platform: one.side === 'left' ? left : right,
      records: one.records,
      sum: moneySum(one.amount, one.currency),
    })),
  };
}

function sumFrom(
  platform: PlatformName,
  { records, summed, withoutAmount, amount }: PlatformSum,
  currency: string,
): StatementSum {
  return { platform, records, summed, without_amount: withoutAmount, sum: moneySum(amount, currency) };
}

function causeName(cause: Cause, { left, right }: StatementScope): string {
  switch (cause) {
    case 'only_left':
      return `only_on_${left}`;
    case 'only_right':
      return `only_on_${right}`;
    case 'after_left':
      return `dated_after_${left}`;
    case 'after_right':
      return `dated_after_${right}`;
    default:
      return cause;
  }
}

/** Money of any size as JSON. */
export function moneySum(amount: bigint, currency: string): MoneySum {
  const number = Number(amount);
  return { amount: Number.isSafeInteger(number) ? number : new ExactNumber(amount.toString()), currency };
}

function ratesInto(
  currency: string,
  currencies: readonly string[],
  agreed: readonly DatedRate[],
): { readonly used: readonly StatementRate[]; readonly missing: readonly string[] } {
  const used: StatementRate[] = [];
  const missing: string[] = [];
  for (const from of currencies) {
    if (from === currency) continue;
    const found = findRate(from, currency, { customer: agreed });
    if (found === undefined) missing.push(from);
    else {
      const quote = found.source === 'customer' ? quoteOf(agreed, from, currency) : undefined;
      used.push({
        from,
        to: currency,
        rate: found.rate,
        quotes: quotesOf(found),
        source: found.source,
        inverted: found.inverted === true,
        via: found.via ?? null,
        set_at: quote === undefined ? null : new Date(quote.setAt).toISOString(),
      });
    }
  }
  return { used, missing };
}

// The rate that the money library uses: the direct one before the inverse one.
function quoteOf(agreed: readonly DatedRate[], from: string, to: string): DatedRate | undefined {
  const names = (one: RateQuote, first: string, second: string) => one.from === first && one.to === second;
  return agreed.find((one) => names(one, from, to)) ?? agreed.find((one) => names(one, to, from));
}
