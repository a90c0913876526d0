/** What the books are, what is accepted of them, and what was signed: a plain model of the test beside it. */

export const [a, b] = ['platform_a', 'platform_b'] as const;
export type Side = typeof a | typeof b;

/** Payments by check number, and when each platform booked them. The third was booked in June here, and in July there. */
export const dates = {
  1: { [a]: '2026-06-15', [b]: '2026-06-15' },
  2: { [a]: '2026-06-20', [b]: '2026-06-20' },
  3: { [a]: '2026-06-30', [b]: '2026-07-02' },
  4: { [a]: '2026-07-10', [b]: '2026-07-10' },
} as const;
export type Check = keyof typeof dates;
export const checks: readonly Check[] = [1, 2, 3, 4];

export const JUNE = '2026-06-30';
/** The days up to which documents count; undefined for all. */
export const throughs = [undefined, JUNE] as const;
export type Through = (typeof throughs)[number];

/** A difference that a person may accept. */
interface Difference {
  readonly check: Check;
  readonly about: 'amount' | 'date' | Side;
  /** Whether it is there only where one of two linked records is too late. */
  readonly isCut: boolean;
  /** What it was accepted for. */
  readonly values: string;
}

/** A figure: how many, and minor units where there is an amount. */
type Figures = Readonly<Record<string, readonly number[]>>;

export interface ModelSignoff {
  readonly id: string;
  readonly role: 'prepared' | 'reviewed';
  readonly name: string;
  readonly digest: string;
  readonly through: Through;
  readonly figures: Figures;
  withdrawn: boolean;
}

export class Model {
  readonly amounts: Record<Check, Record<Side, number | undefined>> = {
    1: { [a]: 10, [b]: 10 },
    2: { [a]: 10, [b]: 20 },
    3: { [a]: 30, [b]: 30 },
    4: { [a]: 10, [b]: 30 },
  };
  /** The values for which differences are accepted, by name. */
  readonly accepted = new Map<string, string>();
  readonly signoffs: ModelSignoff[] = [];

  set(side: Side, check: Check, amount: number | undefined): void {
    this.amounts[check][side] = amount;
    const { differences } = this;
    // An acceptance ends for good when its difference goes, or has other values.
    for (const [name, values] of this.accepted)
      if (differences.get(name)?.values !== values) this.accepted.delete(name);
  }

  /** All differences, by name. */
  get differences(): ReadonlyMap<string, Difference> {
    const found = checks.flatMap((check): Difference[] => {
      const { [a]: here, [b]: there } = this.amounts[check];
      const alone = (about: Side, amount: number, isCut: boolean): Difference => ({
        check,
        about,
        isCut,
        values: `${amount} ${isCut}`,
      });
      if (here === undefined) return there === undefined ? [] : [alone(b, there, false)];
      if (there === undefined) return [alone(a, here, false)];
      const isSplit = dates[check][a] !== dates[check][b];
      return [
        ...(here === there
          ? []
          : [{ check, about: 'amount', isCut: false, values: `${here} ${there}` } as const]),
        ...(isSplit
          ? [{ check, about: 'date', isCut: false, values: '' } as const, alone(a, here, true)]
          : []),
      ];
    });
    return new Map(found.map((one) => [nameOf(one), one]));
  }

  /** The names of the differences that a list up to a day has, in one state. */
  listed(through: Through, state: 'open' | 'accepted'): readonly string[] {
    return [...this.differences]
      .filter(([name, one]) => isListed(one, through) && this.accepted.has(name) === (state === 'accepted'))
      .map(([name]) => name)
      .toSorted();
  }

  /** The figures of the payments up to a day, by name; those of 0 are left out. */
  figures(through: Through): Figures {
    const figures: Record<string, readonly number[]> = {};
    const add = (name: string, count: number, amount?: number): void => {
      const [counted = 0, sum = 0] = figures[name] ?? [];
      figures[name] = amount === undefined ? [counted + count] : [counted + count, sum + amount * 100];
    };
    for (const check of checks) {
      const inScope = (side: Side): number | undefined =>
        through === undefined || dates[check][side] <= through ? this.amounts[check][side] : undefined;
      const [here, there] = [inScope(a), inScope(b)];
      for (const [side, amount] of [
        [a, here],
        [b, there],
      ] as const) {
        if (amount !== undefined) {
          add(`totals records ${side}`, 1);
          add(`totals sum ${side}`, 1, amount);
        }
      }
      this.addState(add, check, through, here, there);
    }
    return figures;
  }

  private addState(
    add: (name: string, count: number, amount?: number) => void,
    check: Check,
    through: Through,
    here: number | undefined,
    there: number | undefined,
  ): void {
    if (here === undefined && there === undefined) return;
    const own = [...this.differences].filter(([, one]) => one.check === check && isListed(one, through));
    const isAccepted = (about: Difference['about']): boolean =>
      own.some(([name, one]) => one.about === about && this.accepted.has(name));
    if (own.length > 0 && own.every(([name]) => this.accepted.has(name))) add('counts accepted', 1);
    const line = (cause: string, amount: number, about: Difference['about']): void => {
      add(`totals ${cause}`, 1, amount);
      if (isAccepted(about)) add(`totals accepted_of_${cause}`, 1, amount);
    };
    if (here !== undefined && there !== undefined) {
      add(own.length === 0 ? 'counts agree' : 'counts disagree', 1);
      if (here !== there) line('amounts_disagree', there - here, 'amount');
      return;
    }
    const side = here === undefined ? b : a;
    add(`counts only_on ${side}`, 1);
    line(`only_on_${side}`, side === a ? -(here ?? 0) : (there ?? 0), side);
  }

  standing(digest?: string): readonly ModelSignoff[] {
    return this.signoffs.filter((one) => !one.withdrawn && (digest === undefined || one.digest === digest));
  }

  /** Whether a name may sign. */
  maySign(digest: string, role: ModelSignoff['role'], name: string): boolean {
    const standing = this.standing(digest);
    if (standing.some((one) => one.name === name)) return false;
    return role === 'prepared' || standing.some((one) => one.role === 'prepared');
  }

  /** Whether a sign-off may be withdrawn: no review is left without a preparation. */
  mayWithdraw({ role, digest }: ModelSignoff): boolean {
    const standing = this.standing(digest);
    return (
      role === 'reviewed' ||
      standing.filter((one) => one.role === 'prepared').length > 1 ||
      !standing.some((one) => one.role === 'reviewed')
    );
  }

  /** What has become of the figures of a sign-off: before and after, by name. */
  changes({ figures, through, withdrawn }: ModelSignoff): Readonly<Record<string, readonly unknown[]>> {
    if (withdrawn) return {};
    const now = this.figures(through);
    const names = [...new Set([...Object.keys(figures), ...Object.keys(now)])];
    const zero = (like: readonly number[] | undefined): readonly number[] =>
      like?.length === 2 ? [0, 0] : [0];
    return Object.fromEntries(
      names
        .map((name) => [name, [figures[name] ?? zero(now[name]), now[name] ?? zero(figures[name])]] as const)
        .filter(([, [before, after]]) => String(before) !== String(after)),
    );
  }
}

function nameOf({ check, about, isCut }: Difference): string {
  return `${check} ${about}${isCut ? ' alone in June' : ''}`;
}

function isListed({ check, about, isCut }: Difference, through: Through): boolean {
  if (through === undefined) return !isCut;
  if (isCut) return true;
  const compared = about === a || about === b ? [about] : ([a, b] as const);
  return compared.every((side) => dates[check][side] <= through);
}
