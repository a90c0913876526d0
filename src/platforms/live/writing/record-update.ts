import { valueAt, type JsonObject, type NativeChange } from '@app/mapper';
import { clashWords } from '../../clash';
import type { WriteOutcome } from '../../connector';
import { ChangeOutcomes } from './change-outcomes';
import { compare } from './compare';
import { readBack, readFresh } from './read-fresh';
import { sendCall } from './send-call';
import { UNCERTAIN, uncertainUntil, type Deferred, type Done, type UpdateResult } from './send-result';
import type { WriteProgress } from './write-progress';
import type { AcceptedCall, ExistingRecord, Round, UpdateCall, WriteSteps } from './write-steps';

/** The number of stale versions after which the update ends as a conflict. */
const MOST_STALE = 3;

/**
 * The update of one record, in rounds: compare, send what is missing, read back. A repeated command sends only what the
 * record does not show. Changes by other users before, between and after the calls are compared with the calls' effects
 * and are never overwritten.
 *
 * Each private method returns undefined if there may be more to do.
 */
export class RecordUpdate {
  private readonly outcomes: ChangeOutcomes;
  private readonly id: string;
  private current: JsonObject;
  private stale = 0;
  /**
   * The record shows some of the changes as made, or the creating call has made them. An earlier attempt may have made all
   * of them before another user overwrote some.
   */
  private mayBeMade = false;

  /**
   * @param before the record that the changes were planned for. A field that has another value now was changed by
   *   another user. For a record that the command created: the record as the creating call left it; undefined where
   *   no other user has changed it since
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
    const { steps, outcomes, before, current } = this;
    outcomes.noteUnseen(steps.hiddenWhenCreated?.(current) ?? []);
    if (steps.command.platformId === null) this.mayBeMade = before !== undefined;
    else if (before !== undefined) {
      const made = await steps.shownSince(before, await steps.notShown(this.changes, current));
      outcomes.noteMade(made);
      this.mayBeMade = made.length > 0;
    }
    for (;;) {
      const end = await this.compareAndSend();
      if (end !== undefined) return end;
    }
  }

  private async compareAndSend(): Promise<WriteOutcome | undefined> {
    const { steps, outcomes, current } = this;
    const { open, clashes, hidden } = await compare(steps, outcomes.undecided, current, this.before);
    const missing = [...open.filter((change) => !clashes.includes(change)), ...hidden];
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
    const { steps, progress, current } = this;
    const accepted: AcceptedCall[] = [];
    const calls = await steps.updateCalls({ id: this.id, record: current }, missing, this.stale > 0);
    if ('status' in calls) return this.stopped(calls, undefined, accepted, missing);
    for (const call of calls) {
      const answer = await sendCall(() => call.send(), progress);
      if (answer.status !== 'done') return this.stopped(answer, call, accepted, missing);
      accepted.push({ call, answer });
      progress.noteChanges(steps.confirmedBy({ call, answer }, current));
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
    switch (sent.status) {
      case 'uncertain':
        return sent;
      case 'deferred':
        return this.putOff(sent);
      case 'stale':
        return this.readAgain();
      case 'gone':
      case 'rejected': {
        if (!accepted.every(isProven)) return UNCERTAIN;
        const made = accepted.flatMap(({ call: { changes } }) => changes);
        const left = missing.filter((change) => !made.includes(change));
        return this.refusedCall(sent, call, accepted, left);
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
    const { steps, outcomes, id, current } = this;
    const record = await steps.readRefused({ id, record: current }, call);
    const isGone = status === 'gone' && record === undefined;
    if (isGone && !outcomes.hasMadeAny && accepted.length === 0) return { status: 'rejected', reason };
    const isKept = call?.mayBeKept === true && record !== undefined;
    const refused = isKept ? await steps.notShown(left, record) : left;
    outcomes.noteMade(left.filter((change) => !refused.includes(change)));
    outcomes.noteRefused(
      refused,
      status === 'gone' && !isGone ? `${steps.command.platform} does not have a part of it any more` : reason,
    );
    if (accepted.length > 0 && !isGone) return this.readBack(accepted);
    return outcomes.writeOutcome(record ?? current);
  }

  /** Reads the record anew after a call that named a stale version. */
  private async readAgain(): Promise<WriteOutcome | undefined> {
    const { steps } = this;
    this.stale += 1;
    const seen = await this.readFresh((record) => steps.isReplaced?.(record) ?? false);
    if (seen.status === 'gone') return this.gone();
    if (seen.status !== 'shown') {
      const reason = `${steps.command.platform} still shows an older version of the record`;
      return this.putOff({ status: 'deferred', until: steps.retryTime(), reason });
    }
    this.current = seen.record;
    return undefined;
  }

  /** Reads the record after accepted calls, and notes what it shows of them. */
  private async readBack(accepted: readonly AcceptedCall[]): Promise<WriteOutcome | undefined> {
    const { steps, current } = this;
    if (!accepted.every(isProven)) return UNCERTAIN;
    const changes = accepted.flatMap(({ call }) => call.changes);
    const round = { record: current, accepted, changes };
    const seen = await this.readFresh((record) => steps.isLate(round, record));
    const expected = steps.expectedAfter(round);
    this.before = expected;
    if (seen.status === 'gone') {
      this.current = expected;
      this.outcomes.noteMade(changes);
      return this.gone();
    }
    // The platform confirmed the write and does not show it yet. Settling looks for longer.
    if (seen.status !== 'shown') return UNCERTAIN;
    await this.noteEffect(round, expected, seen.record);
    this.current = seen.record;
    return undefined;
  }

  /** A change that the record does not show was overwritten since if it was made, and refused otherwise. */
  private async noteEffect(round: Round, expected: JsonObject, record: JsonObject): Promise<void> {
    const { steps, outcomes } = this;
    const { changes } = round;
    const missing = await steps.notShown(outcomes.wanted, record);
    const own = missing.filter((change) => changes.includes(change));
    // Another user may also overwrite a field that needed no call.
    const others = missing.filter((change) => !changes.includes(change));
    const neverShown = await steps.notShown(others, expected);
    const refused = own.filter((change) => !steps.wasMade(round, change, record));
    outcomes.noteMade(changes.filter((change) => !missing.includes(change)));
    outcomes.noteUnseen(steps.hidden?.(changes, record) ?? []);
    outcomes.noteReplaced(own.filter((change) => !refused.includes(change)));
    outcomes.noteReplaced(others.filter((change) => !neverShown.includes(change)));
    outcomes.noteRefused(refused, steps.words.otherValues(refused, record));
  }

  private refused(changes: readonly NativeChange[], reason: string): WriteOutcome {
    this.outcomes.noteRefused(changes, reason);
    return this.outcomes.writeOutcome(this.current);
  }

  private gone(): WriteOutcome {
    const { gone: reason } = this.steps.words;
    const { outcomes } = this;
    return outcomes.hasMadeAny ? this.refused(outcomes.undecided, reason) : { status: 'rejected', reason };
  }

  // Settling finds the changes that the platform has already accepted.
  private putOff(deferred: Deferred): WriteOutcome {
    return this.progress.hasAccepted ? uncertainUntil(deferred.until) : deferred;
  }

  private readFresh(isLate: (record: JsonObject) => boolean | Promise<boolean>) {
    const { steps, id, current } = this;
    return readFresh(steps, () => readBack(steps, id, current), isLate);
  }
}

function isProven({ call, answer }: AcceptedCall): boolean {
  return call.needsResponse !== true || answer.body !== undefined;
}
