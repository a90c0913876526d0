import { Readable } from 'node:stream';
import { columnList } from '../../../database/column-list';
import { CopyChunks } from '../../../database/transaction/copy-chunks';
import { copyLine } from '../../../database/transaction/copy-text';
import type { CustomerTransaction } from '../../../database/transaction/store';
import type { ComparedResult } from '../compared-rows';
import {
  columnText,
  conditionOf,
  digestOfRow,
  inForce,
  lastMark,
  timeOf,
  type ColumnValue,
  type PageOfRows,
  type Replaced,
} from './replaced-rows';

/** Columns of a comparison and of its versions. */
const pairColumns = [
  'object_id',
  'left_platform',
  'right_platform',
  'entity_type',
  'state',
  'amounts',
  'left_amount',
  'left_currency',
  'right_amount',
  'right_currency',
  'left_project_id',
  'right_project_id',
  'left_date',
  'right_date',
  'left_due',
  'right_due',
  'opened_at',
] as const;

/**
 * SQL for comparisons that were in force at a mark: a relation with the columns of a comparison. `$1` is the customer.
 *
 * @param mark the parameter that holds the mark, such as `$5`
 */
export function comparisonsAt(mark: string): string {
  return inForce('comparisons', 'comparison_versions', pairColumns, mark);
}

/** A stored comparison, as far as it tells whether a new one equals it. */
export interface StoredPair {
  readonly object_id: string;
  readonly left_platform: string;
  readonly right_platform: string;
  /** Null for one that an earlier release has made. */
  readonly digest: string | null;
}

/** The stored comparisons of objects. */
export function storedPairs(tx: CustomerTransaction, replaced: Replaced): Promise<readonly StoredPair[]> {
  const { condition, parameters } = conditionOf(replaced);
  return tx.query<StoredPair>(
    `select c.object_id, c.left_platform, c.right_platform, c.digest from comparisons c
     where c.customer_id = $1 and ${condition}`,
    parameters,
  );
}

/**
 * The comparisons of objects that replace the stored ones. Equal rows stay as they are. A new row is held as the line
 * that is sent to the database, because a line lives shorter than the objects from which it is made.
 */
export class NewPairs {
  private readonly gone: Map<string, StoredPair>;
  private readonly lines = new CopyChunks();

  /** @param stored all that the objects have */
  constructor(
    private readonly page: PageOfRows,
    stored: readonly StoredPair[],
  ) {
    this.gone = new Map(
      stored.map((one) => [keyOf(one.object_id, one.left_platform, one.right_platform), one]),
    );
  }

  add({ object, pairs }: ComparedResult): void {
    for (const pair of pairs) {
      const values = valuesOf(object, pair);
      const digest = digestOfRow(values);
      const key = keyOf(object.id, pair.left, pair.right);
      if (this.gone.get(key)?.digest === digest) {
        this.gone.delete(key);
        continue;
      }
      const { openedAt } = pair;
      const { customerId, mark } = this.page;
      const opened = openedAt === undefined ? null : timeOf(openedAt);
      this.lines.add(copyLine([customerId, ...values.slice(0, -1), opened, digest, mark]));
    }
  }

  /** The stored rows without an equal new one, and the lines of those that are new. Nothing may be added afterwards. */
  end(): { readonly gone: readonly StoredPair[]; readonly lines: readonly Buffer[] } {
    return { gone: [...this.gone.values()], lines: this.lines.end() };
  }
}

const keyOf = (objectId: string, left: string, right: string): string => `${objectId} ${left} ${right}`;

/** The columns, in their order. Digests of stored rows are made of these texts. */
function valuesOf(
  { id, entityType }: ComparedResult['object'],
  pair: ComparedResult['pairs'][number],
): readonly ColumnValue[] {
  return [
    id,
    pair.left,
    pair.right,
    entityType,
    pair.state,
    pair.amounts ?? null,
    columnText(pair.leftAmount?.amount),
    pair.leftAmount?.currency ?? null,
    columnText(pair.rightAmount?.amount),
    pair.rightAmount?.currency ?? null,
    pair.leftProject,
    pair.rightProject,
    pair.leftDates.date,
    pair.rightDates.date,
    pair.leftDates.due,
    pair.rightDates.due,
    columnText(pair.openedAt),
  ];
}

// The condition on the objects alone is the one that finds the rows by index.
const isGone = `c.customer_id = $1 and c.object_id = any ($2::text[]) and exists (
    select from unnest($2::text[], $3::text[], $4::text[]) n (object_id, lefts, rights)
    where n.object_id = c.object_id and n.lefts = c.left_platform and n.rights = c.right_platform)`;

// What a refresh makes is in force from its mark. Rows that the same refresh made before were never in force.
const keepPairs = `
  insert into comparison_versions (customer_id, ${pairColumns.join(', ')}, valid_from, valid_until)
  select s.customer_id, ${columnList('c', pairColumns)}, c.valid_from, s.changed_until
  from comparisons c join comparison_states s on s.customer_id = $1 and c.valid_from < s.changed_until
  where ${isGone}`;
const deletePairs = `delete from comparisons c where ${isGone}`;
const copyPairs = `copy comparisons (customer_id, ${pairColumns.join(', ')}, digest, valid_from) from stdin`;

/**
 * Stores the comparisons of objects within the caller's transaction, which holds the lease. It keeps a version of each
 * replaced row, up to the mark of the refresh.
 */
export async function savePairs(tx: CustomerTransaction, pairs: NewPairs): Promise<void> {
  const { gone, lines } = pairs.end();
  if (gone.length > 0) {
    const keys = [
      gone.map((one) => one.object_id),
      gone.map((one) => one.left_platform),
      gone.map((one) => one.right_platform),
    ];
    await Promise.all([tx.query(keepPairs, keys), tx.query(deletePairs, keys)]);
  }
  if (lines.length > 0) await tx.copyIn(copyPairs, Readable.from(lines));
}

/** Deletes versions of which no mark since the last one before a time tells, `most` at a time. @returns how many */
export function deleteOldPairs(tx: CustomerTransaction, before: Date, most: number): Promise<number> {
  return tx.execute(
    `delete from comparison_versions v using (
       select o.valid_until, o.object_id, o.left_platform, o.right_platform from comparison_versions o
       where o.customer_id = $1 and o.valid_until <= ${lastMark} order by o.valid_until limit $3
     ) old
     where v.customer_id = $1 and v.valid_until = old.valid_until and v.object_id = old.object_id
       and v.left_platform = old.left_platform and v.right_platform = old.right_platform`,
    [before, most],
  );
}
