import type { NativeChange } from '@app/mapper';
import type { PartialWrite, Settlement, WriteOutcome } from '../../connector';

/** Records the certain effects of a write, call by call, so that an attempt that is cut off can report them. */
export class WriteProgress {
  private createdAs: string | undefined;
  private readonly changes = new Set<NativeChange>();
  private hasSent = false;
  private accepted = false;

  /** Notes that a writing call is about to be sent. */
  noteCall(): void {
    this.hasSent = true;
  }

  /** Notes that the platform has accepted a writing call. */
  noteAccepted(): void {
    this.accepted = true;
  }

  /** Whether the platform has accepted a call. A failure after that leaves the outcome uncertain. */
  get hasAccepted(): boolean {
    return this.accepted;
  }

  /** Notes that the platform has created the record. */
  noteCreated(id: string): void {
    this.createdAs = id;
  }

  /** Notes changes that the platform has confirmed. */
  noteChanges(changes: readonly NativeChange[]): void {
    for (const change of changes) this.changes.add(change);
  }

  /** Adds the certain effects to an undecided outcome. Every decided outcome contains them already. */
  withProgress<Told extends WriteOutcome | Settlement>(told: Told): Told {
    const { partialWrite: part } = this;
    return part !== undefined && undecided.has(told.status) ? { ...told, made: part } : told;
  }

  /** Like {@link withProgress} for a settlement, which also states whether settling has sent calls. */
  withProgressOfSettling(settlement: Settlement): Settlement {
    const told = this.withProgress(settlement);
    return told.status === 'uncertain' && this.hasSent ? { ...told, sent: true } : told;
  }

  private get partialWrite(): PartialWrite | undefined {
    if (this.createdAs === undefined && this.changes.size === 0) return undefined;
    return {
      ...(this.createdAs !== undefined && { createdAs: this.createdAs }),
      changes: [...this.changes],
    };
  }
}

const undecided: ReadonlySet<string> = new Set(['uncertain', 'not_applied', 'held']);
