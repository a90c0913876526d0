import type { CustomerTransaction } from '../../database/transaction/store';
import { ForbiddenTransition } from '../../database/state-machine';
import type { SignedFigure } from './signed-figures';
import { signoffStates } from './signoff-states';
import { columns, signoffOf, type SignoffRole, type SignoffRow, type StoredSignoff } from './stored-signoff';

const standing = signoffStates.shownBy.standing;

/**
 * Locks the standing sign-offs of a digest, in one order, and reads them. A caller that waited for the lock sees what the one
 * before it has written.
 */
export async function lockStanding(
  tx: CustomerTransaction,
  digest: string,
): Promise<readonly StoredSignoff[]> {
  const ofDigest = `s.customer_id = $1 and s.digest = $2 and s.${standing}`;
  await tx.query(`select s.id from statement_signoffs s where ${ofDigest} order by s.id for update`, [
    digest,
  ]);
  // A row that was written while the lock was awaited is in no earlier snapshot.
  const rows = await tx.query<SignoffRow>(
    `select ${columns} from statement_signoffs s where ${ofDigest} order by s.signed_at, s.id`,
    [digest],
  );
  return rows.map(signoffOf);
}

/**
 * Stores a sign-off with its figures.
 *
 * @param at a time of the database, read behind the customer's lock
 * @returns undefined if the name stands under the digest already
 */
export async function insertSignoff(
  tx: CustomerTransaction,
  signoff: Omit<StoredSignoff, 'signedAt' | 'withdrawn'>,
  figures: readonly SignedFigure[],
  at: string,
): Promise<StoredSignoff | undefined> {
  const stored = figures.map(({ amount, ...figure }) => ({ ...figure, amount: amount?.toString() ?? null }));
  const [row] = await tx.query<SignoffRow>(
    `with signed as (
       insert into statement_signoffs (customer_id, id, role, digest, as_of, left_platform, right_platform, entity_type,
         project_id, currency, through, signed_by, signed_by_key, note, figures, signed_at)
       values ($1, $2, $3, $4, $5::timestamptz, $6, $7, $8, $9, $10, $11::date, $12, $13, $14, $15::jsonb, $16::timestamptz)
       on conflict (customer_id, digest, signed_by_key) where ${standing} do nothing returning *
     ) select ${columns} from signed s`,
    [
      signoff.id,
      signoff.role,
      signoff.digest,
      signoff.asOf,
      ...signoff.platforms,
      signoff.entityType,
      signoff.projectId,
      signoff.currency,
      signoff.through,
      signoff.signedBy,
      signoff.signedByKey,
      signoff.note,
      JSON.stringify(stored),
      at,
    ],
  );
  return row && signoffOf(row);
}

/**
 * Ends a sign-off, and keeps it.
 *
 * @throws ForbiddenTransition when it is withdrawn already
 */
export async function markWithdrawn(
  tx: CustomerTransaction,
  id: string,
  { reason, by, at }: { readonly reason: string; readonly by: string; readonly at: string },
): Promise<StoredSignoff> {
  const [row] = await tx.query<SignoffRow>(
    `with withdrawn as (
       update statement_signoffs set withdrawn_at = $3::timestamptz, withdrawn_reason = $4, withdrawn_by = $5
       where customer_id = $1 and id = $2 and ${signoffStates.before('withdrawn')} returning *
     ) select ${columns} from withdrawn s`,
    [id, at, reason, by],
  );
  if (row === undefined) throw new ForbiddenTransition(`Sign-off ${id}`, 'withdrawn');
  return signoffOf(row);
}

/** A sign-off by its ID. */
export async function findSignoff(tx: CustomerTransaction, id: string): Promise<StoredSignoff | undefined> {
  const [row] = await tx.query<SignoffRow>(
    `select ${columns} from statement_signoffs s where s.customer_id = $1 and s.id = $2`,
    [id],
  );
  return row && signoffOf(row);
}

/** Which sign-offs are listed. */
export interface SignoffFilter {
  readonly state?: 'standing' | 'withdrawn' | undefined;
  readonly role?: SignoffRole | undefined;
}

/** A page of a list. */
export interface SignoffPage {
  readonly limit: number;
  /** A position: sign-offs older than this one. */
  readonly before?: { readonly at: string; readonly id: string } | undefined;
  /** A time, in UTC with microseconds: sign-offs as they were then; now unless given. */
  readonly asOf?: string | undefined;
}

/** Reads a page of sign-offs, the latest first. */
export async function readSignoffs(
  tx: CustomerTransaction,
  { state, role }: SignoffFilter,
  { limit, before, asOf }: SignoffPage,
): Promise<readonly StoredSignoff[]> {
  const parameters: unknown[] = [limit];
  const given = (value: unknown): string => `$${parameters.push(value) + 1}`;
  const conditions = [
    's.customer_id = $1',
    ...(state === undefined ? [] : [`s.${signoffStates.shownBy[state]}`]),
    ...(role === undefined ? [] : [`s.role = ${given(role)}`]),
    ...(before === undefined
      ? []
      : [`(s.signed_at, s.id) < (${given(before.at)}::timestamptz, ${given(before.id)}::uuid)`]),
  ];
  const rows = await tx.query<SignoffRow>(
    `select ${columns} from ${signoffsAt(asOf === undefined ? undefined : given(asOf))} s
     where ${conditions.join(' and ')} order by s.signed_at desc, s.id desc limit $2`,
    parameters,
  );
  return rows.map(signoffOf);
}

/** @param time the parameter that holds a time: sign-offs as they stood then */
function signoffsAt(time: string | undefined): string {
  if (time === undefined) return 'statement_signoffs';
  const then = (column: string): string =>
    `case when n.withdrawn_at <= ${time}::timestamptz then n.${column} end as ${column}`;
  return `(
    select n.customer_id, n.id, n.role, n.digest, n.as_of, n.left_platform, n.right_platform, n.entity_type, n.project_id,
      n.currency, n.through, n.signed_by, n.signed_by_key, n.note, n.signed_at, ${then('withdrawn_at')},
      ${then('withdrawn_reason')}, ${then('withdrawn_by')}
    from statement_signoffs n where n.customer_id = $1 and n.signed_at <= ${time}::timestamptz
  )`;
}

/** The signed figures of some sign-offs, by ID, in the order of their statements. */
export async function readFigures(
  tx: CustomerTransaction,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly SignedFigure[]>> {
  type Row = Omit<SignedFigure, 'amount'> & { readonly id: string; readonly amount: string | null };
  const rows = await tx.query<Row>(
    `select s.id, f.value ->> 'entityType' as "entityType", f.value ->> 'part' as part, f.value ->> 'line' as line,
       f.value ->> 'platform' as platform, (f.value ->> 'count')::int as count, f.value ->> 'amount' as amount,
       f.value ->> 'currency' as currency
     from statement_signoffs s cross join lateral jsonb_array_elements(s.figures) with ordinality f (value, place)
     where s.customer_id = $1 and s.id = any ($2::uuid[]) order by s.id, f.place`,
    [ids],
  );
  const figures = new Map<string, SignedFigure[]>(ids.map((id) => [id, []]));
  for (const { id, amount, ...figure } of rows)
    figures.get(id)?.push({ ...figure, amount: amount === null ? null : BigInt(amount) });
  return figures;
}
