import { ageGroupOf, ageGroups } from '../../statement/figures/ages';
import { MOST_VALUES, type CaseCount } from './cases.repository';
import type { PastRow } from './past-rows';

/** Counts of cases by facet and value. */
export class CaseCounts {
  private readonly facets = new Map<string, Map<string, number>>();

  constructor(private readonly asOf: number) {}

  /** Adds counts that the database has made. */
  count(stored: readonly CaseCount[]): void {
    for (const { facet, value, count } of stored) this.put(facet, value, count);
  }

  add(rows: readonly PastRow[]): void {
    for (const row of rows) {
      this.put('kind', row.kind);
      this.put('entity_type', row.entity_type);
      if (row.field !== null) this.put('field', row.field);
      if (row.project_id !== null) this.put('project_id', row.project_id);
      this.put('age', ageGroups[ageGroupOf(Number(row.aged) / 1000, this.asOf)]);
      this.put('state', row.state);
      if (row.owner !== null) this.put('owner', row.owner);
      this.put('total', 'total');
    }
  }

  get all(): readonly CaseCount[] {
    return [...this.facets].flatMap(([facet, values]) =>
      [...values]
        .map(([value, count]) => ({ facet, value, count }))
        .toSorted((one, other) => other.count - one.count || (one.value < other.value ? -1 : 1))
        .slice(0, MOST_VALUES),
    );
  }

  private put(facet: string, value: string, count = 1): void {
    const values = this.facets.get(facet) ?? new Map<string, number>();
    this.facets.set(facet, values.set(value, (values.get(value) ?? 0) + count));
  }
}
