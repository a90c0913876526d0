import type { JsonObject, NativeChange } from '@app/mapper';
import type { Applied, Refused, WriteOutcome } from '../connector';
import type { MadeSoFar } from './made-so-far';

/** What becomes of the changes of one write, which a platform may take in several calls. */
export class Parts {
  private readonly taken = new Set<NativeChange>();
  private readonly replaced = new Set<NativeChange>();
  private readonly unseen = new Set<NativeChange>();
  private readonly refused: Refused[] = [];

  /**
   * @param made told of each change that was made
   * @param hasCreated whether the write has created the record: then it was taken, whatever becomes of its changes
   */
  constructor(
    private readonly changes: readonly NativeChange[],
    private readonly made: MadeSoFar,
    private readonly hasCreated = false,
  ) {}

  /** Those of which it is not known yet what becomes of them. */
  get left(): readonly NativeChange[] {
    return this.wanted.filter((change) => !this.taken.has(change));
  }

  /** Those that were made, or may be. */
  get wanted(): readonly NativeChange[] {
    const refused = new Set(this.refused.flatMap(({ changes }) => changes));
    return this.changes.filter((change) => !refused.has(change));
  }

  get hasTaken(): boolean {
    return this.hasCreated || this.taken.size > 0;
  }

  /** They were made. */
  take(changes: readonly NativeChange[]): void {
    for (const change of changes) this.taken.add(change);
    this.made.take(changes);
  }

  /** They were made, and somebody else has written over them since. */
  replace(changes: readonly NativeChange[]): void {
    this.take(changes);
    for (const change of changes) this.replaced.add(change);
  }

  /** They were made, and the record does not show them. */
  hide(changes: readonly NativeChange[]): void {
    this.take(changes);
    for (const change of changes) this.unseen.add(change);
  }

  /**
   * They were not made, and will not be.
   *
   * @param isUnknown an attempt before may have made them all the same
   */
  refuse(changes: readonly NativeChange[], reason: string, isUnknown = false): void {
    if (changes.length > 0) this.refused.push({ changes, reason, ...(isUnknown && { isUnknown }) });
  }

  /**
   * The outcome of the whole: what was taken stands, whatever became of the rest.
   *
   * @param record as it is there now
   */
  end(record: JsonObject): Applied | Extract<WriteOutcome, { status: 'rejected' }> {
    const reason = [...new Set(this.refused.map((one) => one.reason))].join('; ');
    if (this.refused.length > 0 && !this.hasTaken) return { status: 'rejected', reason, current: record };
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
