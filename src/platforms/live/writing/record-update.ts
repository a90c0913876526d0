import { valueAt, type JsonObject, type NativeChange } from '@app/mapper';
import { clashWords } from '../../clash';
import type { WriteOutcome } from '../../connector';
import { ChangeOutcomes } from './change-outcomes';
import { readFresh } from './read-fresh';
import { sendCall } from './send-call';
import { UNCERTAIN, type Deferred, type Done, type UpdateResult } from './send-result';
import type { WriteProgress } from './write-progress';
import type { AcceptedCall, ExistingRecord, Round, UpdateCall, WriteSteps } from './write-steps';

/** The number of stale versions after which the update ends as a conflict. */
const MOST_STALE = 3;

/**
 * The update of one record, in rounds: compare, send what is missing, read back. A repeated command sends only what the
 * record does not show. Changes by other users before, between and after the calls are compared with the calls' effects
 * and are never overwritten.
 */
export class RecordUpdate {
  private readonly outcomes: ChangeOutcomes;
  private readonly id: string;
  private current: JsonObject;
  private stale = 0;
  /**
   * The record shows some of the changes as made. An earlier attempt may have made all of them before another user
   * overwrote some.
   */
  private mayBeMade = false;

  /**
   * @param before the record that the changes were planned for. A field that has another value by now was changed by
   *   another user. Undefined for a record that the command has created
   */
  constructor(
    private readonly steps: WriteSteps,
    private readonly progress: WriteProgress,
    { id, record }: ExistingRecord,
    private readonly changes: readonly NativeChange[],
    private before: JsonObject | undefined,
  ) {
    this.id = id;
    this.current = record;
    this.outcomes = new ChangeOutcomes(changes, progress, steps.command.platformId === null);
  }

  /** Runs the update to its outcome. @throws as the steps do */
  async run(): Promise<WriteOutcome> {
    const { steps, outcomes, before } = this;
    const { todo, clashes, created } = await steps.compare(this.changes, this.current, before);
    outcomes.noteUnseen(created);
    const made = await steps.shownSince(before, [...todo, ...clashes]);
    outcomes.noteMade(made);
    this.mayBeMade = made.length > 0;
    for (;;) {
      const end = await this.round();
      if (end !== undefined) return end;
    }
  }

  /** @returns undefined if there may be more to do, as in all methods below */
  private async round(): Promise<WriteOutcome | undefined> {
    const { steps, outcomes, current } = this;
    const { todo, clashes, hidden } = await steps.compare(outcomes.undecided, current, this.before);
    const missing = [...todo, ...hidden];
    const isTooStale = missing.length > 0 && this.stale > MOST_STALE;
    if ((clashes.length > 0 || isTooStale) && !outcomes.hasMadeAny) return { status: 'conflict', current };
    outcomes.noteRefused(
      clashes,
      clashWords(clashes.map(({ path, value }) => ({ path, theirs: valueAt(current, path), mine: value }))),
      this.mayBeMade,
    );
    if (missing.length === 0) return outcomes.writeOutcome(current);
    const refusal = isTooStale
      ? `${steps.command.platform} was changed by others each time it was tried`
      : steps.refusalOf(missing, current);
    return refusal === undefined ? this.send(missing) : this.refused(missing, refusal);
  }

  private async send(missing: readonly NativeChange[]): Promise<WriteOutcome | undefined> {
    const { steps, progress, existing } = this;
    const accepted: AcceptedCall[] = [];
    const calls = await steps.updateCalls(existing, missing, this.stale > 0);
    if ('status' in calls) return this.stopped(calls, undefined, accepted, missing);
    for (const call of calls) {
      const answer = await sendCall(() => call.send(), progress);
      if (answer.status !== 'done') return this.stopped(answer, call, accepted, missing);
      accepted.push({ call, answer });
      progress.noteChanges(steps.confirmedBy({ call, answer }, existing));
    }
    return this.readBack(accepted);
  }

  /** Ends or goes on after a call that did not succeed. @param call undefined if nothing was sent */
  private async stopped(
    sent: Exclude<UpdateResult, Done>,
    call: UpdateCall | undefined,
    accepted: readonly AcceptedCall[],
    missing: readonly NativeChange[],
  ): Promise<WriteOutcome | undefined> {
    if (!this.isProvable(accepted)) return UNCERTAIN;
    switch (sent.status) {
      case 'uncertain':
        return sent;
      case 'deferred':
        return this.putOff(sent);
      case 'stale':
        return this.readAgain();
      case 'gone':
      case 'rejected': {
        const made = new Set(accepted.flatMap(({ call: { changes } }) => changes));
        return this.refusedCall(
          sent,
          call,
          accepted,
          missing.filter((change) => !made.has(change)),
        );
      }
    }
  }

  /** @param left the changes that no accepted call has made */
  private async refusedCall(
    { status, reason }: { readonly status: 'gone' | 'rejected'; readonly reason: string },
    call: UpdateCall | undefined,
    accepted: readonly AcceptedCall[],
    left: readonly NativeChange[],
  ): Promise<WriteOutcome | undefined> {
    const { steps, outcomes } = this;
    const { record, kept } = await steps.afterRefusal(this.existing, call, left);
    const isGone = status === 'gone' && record === undefined;
    if (isGone && !outcomes.hasMadeAny && accepted.length === 0) return { status: 'rejected', reason };
    outcomes.noteMade(kept);
    outcomes.noteRefused(
      left.filter((change) => !kept.includes(change)),
      status === 'gone' && !isGone ? `${steps.command.platform} does not have a part of it any more` : reason,
    );
    if (accepted.length > 0 && !isGone) return this.readBack(accepted);
    return outcomes.writeOutcome(record ?? this.current);
  }

  /** Reads the record anew after a call that named a stale version. */
  private async readAgain(): Promise<WriteOutcome | undefined> {
    const { steps } = this;
    this.stale += 1;
    const seen = await this.readFresh((record) => steps.isReplaced(record));
    switch (seen.status) {
      case 'gone':
        return this.gone();
      case 'shown':
        this.current = seen.record;
        return undefined;
      default: {
        const reason = `${steps.command.platform} still shows an older version of the record`;
        return this.putOff({ status: 'deferred', until: steps.retryTime(), reason });
      }
    }
  }

  /** Reads the record after accepted calls, and notes what it shows of them. */
  private async readBack(accepted: readonly AcceptedCall[]): Promise<WriteOutcome | undefined> {
    const { steps, outcomes } = this;
    if (!this.isProvable(accepted)) return UNCERTAIN;
    const changes = accepted.flatMap(({ call }) => call.changes);
    const round: Round = { existing: this.existing, accepted, changes, wanted: outcomes.wanted };
    const expected = steps.expectedAfter(round);
    const seen = await this.readFresh((record) => steps.isLate(round, record));
    this.before = expected;
    switch (seen.status) {
      case 'gone':
        this.current = expected;
        outcomes.noteMade(changes);
        return this.gone();
      case 'shown': {
        const { made, unseen, replaced, refused, reason } = await steps.effectShown(round, seen.record);
        outcomes.noteMade(made);
        outcomes.noteUnseen(unseen);
        outcomes.noteReplaced(replaced);
        outcomes.noteRefused(refused, reason);
        this.current = seen.record;
        return undefined;
      }
      default:
        // The platform confirmed the write and does not show it yet. Settling looks for longer.
        return UNCERTAIN;
    }
  }

  private refused(changes: readonly NativeChange[], reason: string): WriteOutcome {
    this.outcomes.noteRefused(changes, reason);
    return this.outcomes.writeOutcome(this.current);
  }

  private gone(): WriteOutcome {
    const { gone: reason } = this.steps.words;
    return this.outcomes.hasMadeAny
      ? this.refused(this.outcomes.undecided, reason)
      : { status: 'rejected', reason };
  }

  // Settling finds the changes that the platform has already accepted.
  private putOff(deferred: Deferred): WriteOutcome {
    return this.progress.hasAccepted ? UNCERTAIN : deferred;
  }

  private get existing(): ExistingRecord {
    return { id: this.id, record: this.current };
  }

  private isProvable(accepted: readonly AcceptedCall[]): boolean {
    return accepted.every((one) => this.steps.isProvable(one, this.existing));
  }

  private readFresh(isLate: (record: JsonObject) => boolean | Promise<boolean>) {
    const { steps, id, current } = this;
    return readFresh(steps, () => steps.readBack(id, current), isLate);
  }
}
