import type { JsonObject, NativeChange } from '@app/mapper';
import type { Applied, RefusedChanges, WriteOutcome } from '../connector';
import type { WriteProgress } from './write-progress';

/** What becomes of the changes of one write, which a platform may take in several calls. */
export class ChangeOutcomes {
  private readonly taken = new Set<NativeChange>();
  private readonly replaced = new Set<NativeChange>();
  private readonly unseen = new Set<NativeChange>();
  private readonly refused: RefusedChanges[] = [];

  /**
   * @param progress told of each change that was made
   * @param hasCreated whether the write has created the record: then it was taken, whatever becomes of its changes
   */
  constructor(
    private readonly changes: readonly NativeChange[],
    private readonly progress: WriteProgress,
    private readonly hasCreated = false,
  ) {}

  /** Those of which it is not known yet what becomes of them. */
  get undecided(): readonly NativeChange[] {
    return this.wanted.filter((change) => !this.taken.has(change));
  }

  /** Those that were made, or may be. */
  get wanted(): readonly NativeChange[] {
    const refused = new Set(this.refused.flatMap(({ changes }) => changes));
    return this.changes.filter((change) => !refused.has(change));
  }

  get hasMadeAny(): boolean {
    return this.hasCreated || this.taken.size > 0;
  }

  /** They were made. */
  noteMade(changes: readonly NativeChange[]): void {
    for (const change of changes) this.taken.add(change);
    this.progress.noteChanges(changes);
  }

  /** They were made, and somebody else has written over them since. */
  noteReplaced(changes: readonly NativeChange[]): void {
    this.noteMade(changes);
    for (const change of changes) this.replaced.add(change);
  }

  /** They were made, and the record does not show them. */
  noteUnseen(changes: readonly NativeChange[]): void {
    this.noteMade(changes);
    for (const change of changes) this.unseen.add(change);
  }

  /**
   * They were not made, and will not be.
   *
   * @param isUnknown an attempt before may have made them all the same
   */
  noteRefused(changes: readonly NativeChange[], reason: string, isUnknown = false): void {
    if (changes.length > 0) this.refused.push({ changes, reason, ...(isUnknown && { isUnknown }) });
  }

  /**
   * The outcome of the whole: what was taken stands, whatever became of the rest.
   *
   * @param record as it is there now
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
