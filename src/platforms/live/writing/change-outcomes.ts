import type { JsonObject, NativeChange } from '@app/mapper';
import type { Applied, RefusedChanges, WriteOutcome } from '../../connector';
import type { WriteProgress } from './write-progress';

/** Collects the outcome of each change of one write. A platform may take a write in several calls. */
export class ChangeOutcomes {
  private readonly taken = new Set<NativeChange>();
  private readonly replaced = new Set<NativeChange>();
  private readonly unseen = new Set<NativeChange>();
  private readonly refused: RefusedChanges[] = [];

  /**
   * @param progress records each change that was made
   * @param hasCreated whether the write has created the record. The write then counts as applied, whatever the
   *   outcome of its changes
   */
  constructor(
    private readonly changes: readonly NativeChange[],
    private readonly progress: WriteProgress,
    private readonly hasCreated = false,
  ) {}

  /** The changes without an outcome. */
  get undecided(): readonly NativeChange[] {
    return this.wanted.filter((change) => !this.taken.has(change));
  }

  /** The changes that were not refused. */
  get wanted(): readonly NativeChange[] {
    const refused = new Set(this.refused.flatMap(({ changes }) => changes));
    return this.changes.filter((change) => !refused.has(change));
  }

  get hasMadeAny(): boolean {
    return this.hasCreated || this.taken.size > 0;
  }

  /** Notes changes that were made. */
  noteMade(changes: readonly NativeChange[]): void {
    for (const change of changes) this.taken.add(change);
    this.progress.noteChanges(changes);
  }

  /** Notes changes that were made and that another user has overwritten since. */
  noteReplaced(changes: readonly NativeChange[]): void {
    this.noteMade(changes);
    for (const change of changes) this.replaced.add(change);
  }

  /** Notes changes that were made and that the record does not show. */
  noteUnseen(changes: readonly NativeChange[]): void {
    this.noteMade(changes);
    for (const change of changes) this.unseen.add(change);
  }

  /**
   * Notes changes that were refused.
   *
   * @param isUnknown an earlier attempt may have made them
   */
  noteRefused(changes: readonly NativeChange[], reason: string, isUnknown = false): void {
    if (changes.length > 0) this.refused.push({ changes, reason, ...(isUnknown && { isUnknown }) });
  }

  /**
   * Returns the outcome of the whole write. It is applied if at least one change was made.
   *
   * @param record the present record
   */
  writeOutcome(record: JsonObject): Applied | Extract<WriteOutcome, { status: 'rejected' }> {
    const reason = [...new Set(this.refused.map((one) => one.reason))].join('; ');
    if (this.refused.length > 0 && !this.hasMadeAny) return { status: 'rejected', reason, current: record };
    const changes = this.refused.flatMap((one) => one.changes);
    const isUnknown = this.refused.some((one) => one.isUnknown);
    return {
      status: 'applied',
      payload: record,
      ...(this.replaced.size > 0 && { replaced: [...this.replaced] }),
      ...(this.unseen.size > 0 && { unseen: [...this.unseen] }),
      ...(changes.length > 0 && { refused: { changes, reason, ...(isUnknown && { isUnknown }) } }),
    };
  }
}
