import type { CaseSort } from '../../statement/statement.dto';
import { compareKeys, keysOf, type CasePosition } from './case-order';
import { CASE_BYTES, type ListedCaseRow } from './case-row';

/** The first cases after a position, of any number of added ones, with the details of those that fit into a page. */
export class FirstCases {
  private kept: readonly ListedCaseRow[] = [];
  /** Characters of details that were added since the last measurement. */
  private added = 0;

  constructor(
    private readonly sort: CaseSort,
    private readonly after: CasePosition | undefined,
    private readonly limit: number,
  ) {}

  add(rows: readonly ListedCaseRow[]): void {
    const { sort, after } = this;
    const place = after && { key: after[1], aged: after[2], id: after[3] };
    const behind = rows.filter(
      (row) => place === undefined || compareKeys(sort, keysOf(row, sort), place) > 0,
    );
    this.kept = [...this.kept, ...behind];
    for (const { detail } of behind) this.added += detail?.length ?? 0;
    if (this.kept.length <= 2 * this.limit && this.added <= CASE_BYTES) return;
    this.kept = this.rows;
    this.added = 0;
  }

  /** After the first case without its detail, no case has one. */
  get rows(): readonly ListedCaseRow[] {
    const { sort } = this;
    const first = this.kept
      .toSorted((one, other) => compareKeys(sort, keysOf(one, sort), keysOf(other, sort)))
      .slice(0, this.limit);
    let bytes = 0;
    let fits = true;
    return first.map((row, place) => {
      bytes += row.detail === null ? 0 : Buffer.byteLength(row.detail);
      fits &&= row.detail !== null && (place === 0 || bytes <= CASE_BYTES);
      return fits ? row : { ...row, detail: null };
    });
  }
}
