import type { FieldIssue } from './mapping-error';

/** The most problems that are kept of one record. A caller that corrects these gets the others with the next request. */
export const MOST_ISSUES = 100;

/** The problems of a record, as they are found: the first {@link MOST_ISSUES} of them. */
export class IssueList {
  private readonly issues: FieldIssue[] = [];

  add(path: string, problem: string): void {
    if (!this.full) this.issues.push({ path, problem });
  }

  /** Adds a last problem, also to a full list: what was not read because of the others. */
  close(path: string, problem: string): void {
    this.issues.push({ path, problem });
  }

  /** Whether nothing more would be kept. */
  get full(): boolean {
    return this.issues.length >= MOST_ISSUES;
  }

  get list(): readonly FieldIssue[] {
    return this.issues;
  }
}
