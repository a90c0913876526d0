import type { CustomerTransaction } from '../../database/transaction/store';
import { timeText } from '../../database/transaction/time-text';
import type { ComparedMoment } from '../comparisons/stored/replaced-since.repository';
import { noAges } from './figures/ages';
import type { Tally, TallySide } from './figures/tally';

/** The mark of a finished refresh, which is written once. Times are in UTC, with microseconds. */
export interface FinishedMark {
  readonly mark: string;
  readonly readUntil: string;
}

/** Tallies of a scope at a moment. */
export interface KeptState extends ComparedMoment, FinishedMark {
  /** Names the scope. */
  readonly scope: string;
  /** Of the terms and connections with which records were compared. */
  readonly fingerprint: string;
  /** Without ages. */
  readonly tallies: readonly Tally[];
  readonly currencies: readonly string[];
}

type KeptSide = Omit<TallySide, 'own' | 'converted'> & { readonly own: string; readonly converted: string };
type KeptTally = Omit<Tally, 'left' | 'right' | 'ages'> & {
  readonly left: KeptSide;
  readonly right: KeptSide;
};

const presentMark = `
  select ${timeText('m.mark')} as mark, ${timeText('m.read_until')} as "readUntil"
  from comparison_states s join comparison_marks m on m.customer_id = $1 and m.mark = s.changed_until
  where s.customer_id = $1 and not exists (
    select from comparisons c where c.customer_id = $1 and c.valid_from is null)`;

/**
 * The mark of the last refresh, if it is finished and a version of each of its rows is kept when the row is replaced;
 * undefined otherwise. Rows of a release that kept no versions have no begin.
 */
export async function presentMarkOf(tx: CustomerTransaction): Promise<FinishedMark | undefined> {
  const [row] = await tx.query<FinishedMark>(presentMark);
  return row;
}

const keptStates = `
  select k.scope, ${timeText('k.as_of')} as "asOf", ${timeText('k.mark')} as mark, ${timeText('k.read_until')} as "readUntil",
    k.fingerprint, k.currencies, k.tallies
  from kept_tallies k
  join comparison_marks m on m.customer_id = $1 and m.mark = k.mark and m.read_until = k.read_until
  where k.customer_id = $1 and k.scope = any ($2::text[])`;

/** The stored tallies of scopes, by scope, if their mark still describes the stored comparisons. */
export async function keptStatesOf(
  tx: CustomerTransaction,
  scopes: readonly string[],
): Promise<ReadonlyMap<string, KeptState>> {
  const rows = await tx.query<Omit<KeptState, 'tallies'> & { readonly tallies: readonly KeptTally[] }>(
    keptStates,
    [scopes],
  );
  return new Map(rows.map((row) => [row.scope, { ...row, tallies: row.tallies.map(tallyFrom) }]));
}

const keep = `
  insert into kept_tallies (customer_id, scope, as_of, mark, read_until, fingerprint, currencies, tallies)
  values ($1, $2, $3::timestamptz, $4::timestamptz, $5::timestamptz, $6, $7, $8::json)
  on conflict (customer_id, scope) do update set as_of = excluded.as_of, mark = excluded.mark,
    read_until = excluded.read_until, fingerprint = excluded.fingerprint,
    currencies = excluded.currencies, tallies = excluded.tallies`;

/** Puts the tallies of scopes in the place of earlier ones. */
export async function keepStates(tx: CustomerTransaction, states: readonly KeptState[]): Promise<void> {
  // In the order of their names, so that no two writers wait for each other.
  const inOrder = states.toSorted((one, other) => (one.scope < other.scope ? -1 : 1));
  await Promise.all(
    inOrder.map(({ scope, asOf, mark, readUntil, fingerprint, currencies, tallies }) =>
      tx.query(keep, [
        ...[scope, asOf, mark, readUntil, fingerprint],
        currencies,
        JSON.stringify(tallies.map(keptFrom)),
      ]),
    ),
  );
}

function keptFrom({ ages: _, left, right, ...tally }: Tally): KeptTally {
  const side = ({ own, converted, ...rest }: TallySide): KeptSide => ({
    ...rest,
    own: String(own),
    converted: String(converted),
  });
  return { ...tally, left: side(left), right: side(right) };
}

function tallyFrom({ left, right, ...tally }: KeptTally): Tally {
  const side = ({ own, converted, ...rest }: KeptSide): TallySide => ({
    ...rest,
    own: BigInt(own),
    converted: BigInt(converted),
  });
  return { ...tally, left: side(left), right: side(right), ages: noAges() };
}
