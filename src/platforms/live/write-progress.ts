import type { NativeChange } from '@app/mapper';
import type { PartialWrite, Settlement, WriteOutcome } from '../connector';

/** Notes what a write has certainly made, call by call, so that an attempt without an end can say so. */
export class WriteProgress {
  private createdAs: string | undefined;
  private readonly changes = new Set<NativeChange>();
  private hasSent = false;

  /** A call that writes is about to be sent. */
  noteCall(): void {
    this.hasSent = true;
  }

  /** The platform has created the record. */
  noteCreated(id: string): void {
    this.createdAs = id;
  }

  /** The platform has shown that it made some changes. */
  noteChanges(changes: readonly NativeChange[]): void {
    for (const change of changes) this.changes.add(change);
  }

  /** Says beside what is not decided what was made; every other outcome says so itself. */
  withProgress<Told extends WriteOutcome | Settlement>(told: Told): Told {
    const { partialWrite: part } = this;
    return part !== undefined && undecided.has(told.status) ? { ...told, made: part } : told;
  }

  /** The same of a look, which also says whether it has sent calls of its own. */
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
