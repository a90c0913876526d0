import { withValuesAt, type JsonObject, type JsonValue } from '@app/mapper';
import type { Attempt, Settlement, WriteOutcome } from '../../connector';
import { compare } from './compare';
import { readBack, readFresh } from './read-fresh';
import { RecordUpdate } from './record-update';
import { sendCall } from './send-call';
import { UNCERTAIN } from './send-result';
import { nextSettlingTime } from './settling-time';
import type { WriteProgress } from './write-progress';
import type { Candidate, ExistingRecord, WriteSteps } from './write-steps';

/** Appended to the reason why a record proves nothing. */
const NOBODY_KNOWS = 'nobody can tell whether the change was made before';

/**
 * Writes one command to a live platform, or finds out what became of it. No call is sent twice: after the first call
 * that may have had an effect, a failure leaves the outcome `uncertain`, and settling reads before anything is sent
 * again. See docs/decisions/0072.
 */
export class WriteEngine {
  constructor(
    private readonly steps: WriteSteps,
    private readonly progress: WriteProgress,
  ) {}

  /** Creates the record, and sends what the creating call could not say. @throws as the steps do */
  async create(notes: JsonValue | undefined): Promise<WriteOutcome> {
    const { steps, progress } = this;
    const create = await steps.creation(notes);
    if (typeof create !== 'function') return create;
    const sent = await sendCall(create, progress);
    switch (sent.status) {
      case 'done': {
        const id = sent.body && steps.idIn(sent.body);
        // The record exists by now. Only a reading finds its ID.
        if (id === undefined) return UNCERTAIN;
        progress.noteCreated(id);
        const seen = await readFresh(
          steps,
          () => readBack(steps, id, undefined),
          () => false,
        );
        if (seen.status !== 'shown') return UNCERTAIN;
        const { record } = seen;
        return this.completed({ id, record }, await this.beforeOthers(record, sent.body));
      }
      case 'duplicate':
        return (await this.foundAgain(notes)) ?? sent.otherwise;
      default:
        return sent;
    }
  }

  /**
   * Updates the record.
   *
   * @param before the record that the change was planned for
   * @throws as the steps do
   */
  async update(id: string, before: JsonObject | undefined): Promise<WriteOutcome> {
    const { steps, progress } = this;
    const { changes } = steps.command;
    const seen = await readFresh(
      steps,
      () => (steps.readForUpdate ? steps.readForUpdate(id, before) : steps.read(id, before)),
      (record) => steps.isOutdated?.(record, before) ?? false,
    );
    return 'record' in seen
      ? new RecordUpdate(steps, progress, { id, record: seen.record }, changes, before).run()
      : { status: 'rejected', reason: steps.words.gone };
  }

  /**
   * Checks whether an update happened. What did not happen may be sent again. If another user has changed the same
   * fields since, or the record is gone, a person must decide.
   *
   * @throws as the steps do
   */
  async settleUpdate(id: string, attempt: Attempt): Promise<Settlement> {
    const { steps, progress } = this;
    const { before } = attempt;
    const record = await steps.read(id, before);
    if (record === undefined) {
      return notShown(attempt, steps.delaysWhenGone, 'it is not there any more, or not to be seen');
    }
    const comparison = await compare(steps, steps.command.changes, record, before);
    const { open, clashes, hidden } = comparison;
    if (open.length === 0 && hidden.length === 0) return { status: 'applied', payload: record };
    if (before !== undefined) progress.noteChanges(await steps.shownSince(before, open));
    const unshown = steps.settleUnshown(comparison, record, before);
    if (unshown.status === 'made') return { status: 'applied', payload: record, unseen: hidden };
    const names = clashes.map(({ path }) => path.join('.')).join(', ');
    const doubt = clashes.length > 0 ? `another user has changed ${names}` : unshown.doubt;
    return notShown(attempt, unshown.delays, doubt);
  }

  /**
   * Finds the record that the command may have created, and sends what is missing of it. The record is found by its ID
   * if the platform has returned one, and otherwise by the notes taken before.
   *
   * @throws as the steps do
   */
  async settleCreation(attempt: Attempt): Promise<Settlement> {
    const { steps } = this;
    const { notes, made: { createdAs } = { changes: [] } } = attempt;
    const until = nextSettlingTime(attempt, steps.settlingDelays);
    if (createdAs !== undefined) {
      const record = await steps.read(createdAs, undefined);
      if (record !== undefined) return this.settleCreated({ id: createdAs, record }, until);
      // The platform had created it. Creating it again would make a duplicate, whatever happened to the first record.
      return until === undefined
        ? { status: 'held', reason: steps.words.createdIsGone }
        : { status: 'uncertain', until };
    }
    const candidates = await steps.candidates(notes, true);
    if ('status' in candidates) return candidates;
    const [candidate, ...others] = candidates;
    if (candidate !== undefined && others.length > 0) {
      return { status: 'held', reason: steps.words.severalCandidates(candidates.map(({ id }) => id)) };
    }
    if (candidate !== undefined) return this.settleCandidate(candidate, until);
    if (until !== undefined) return { status: 'uncertain', until };
    const reason = await steps.whyUnprovable?.(notes);
    return reason === undefined ? { status: 'not_applied' } : { status: 'held', reason };
  }

  /** A candidate is the command's own record only if it shows all that was sent. */
  private async settleCandidate({ id, record }: Candidate, until: Date | undefined): Promise<Settlement> {
    const { steps } = this;
    const shown = record ?? (await steps.read(id, undefined));
    if (shown === undefined) return undecided(until);
    const unlike = await steps.shownOtherwise(shown);
    if (unlike.length === 0) return this.settleCreated({ id, record: shown }, until);
    // The command's own record may still appear, and this one must not be overwritten.
    if (until !== undefined) return undecided(until);
    const fields = unlike.map(({ path }) => path.join('.')).join(', ');
    return { status: 'held', reason: steps.words.unlikeCandidate(id, fields) };
  }

  private async settleCreated(created: ExistingRecord, until: Date | undefined): Promise<Settlement> {
    const { steps, progress } = this;
    progress.noteCreated(created.id);
    // An earlier call may have sent the line, and the platform does not show it yet.
    if (until !== undefined && steps.lacksLine(created.record)) return undecided(until);
    // Since the creating call another user may have changed what it set.
    const asCreated = withValuesAt(created.record, await steps.shownOtherwise(created.record));
    const outcome = await this.complete(created, asCreated);
    return outcome.status === 'applied' ? outcome : undecided(steps.nextLook(outcome, until));
  }

  /**
   * Looks for a record with the key of the command. An earlier attempt or another user may have created it. If its
   * values differ from the command's, settling decides.
   */
  private async foundAgain(notes: JsonValue | undefined): Promise<WriteOutcome | undefined> {
    const { steps } = this;
    const candidates = await steps.candidates(notes, false);
    if ('status' in candidates) return UNCERTAIN;
    const [candidate, ...others] = candidates;
    if (candidate === undefined || others.length > 0) return undefined;
    const { id, record = await steps.read(id, undefined) } = candidate;
    const isOurs = record !== undefined && (await steps.shownOtherwise(record)).length === 0;
    return isOurs ? this.completed({ id, record }) : UNCERTAIN;
  }

  private async completed(created: ExistingRecord, asCreated?: JsonObject): Promise<WriteOutcome> {
    const outcome = await this.complete(created, asCreated);
    // The record exists by now. Settling takes up what was deferred.
    return outcome.status === 'deferred' ? UNCERTAIN : outcome;
  }

  /**
   * The record as the creating call has left it, if another user has changed what it set before the service has looked:
   * a field that differs from what was sent, and that did not differ in the response. Undefined if there is none.
   */
  private async beforeOthers(
    record: JsonObject,
    response: JsonObject | undefined,
  ): Promise<JsonObject | undefined> {
    const { steps } = this;
    const unlike = await steps.shownOtherwise(record);
    if (response === undefined || unlike.length === 0) return undefined;
    const atOnce = await steps.shownOtherwise(response);
    const theirs = unlike.filter((change) => !atOnce.includes(change));
    return theirs.length === 0 ? undefined : withValuesAt(record, theirs);
  }

  /**
   * Sends the missing changes of a record that the command has created.
   *
   * @param asCreated the record as the creating call has left it; undefined if nobody has changed it since
   */
  private complete(created: ExistingRecord, asCreated?: JsonObject): Promise<WriteOutcome> {
    const { steps, progress } = this;
    const { changesWhenCreated: changes = steps.command.changes } = steps;
    return new RecordUpdate(steps, progress, created, changes, asCreated).run();
  }
}

/**
 * The settlement of a write that the platform does not show. The platform may show writes late, so the result is
 * `uncertain` until its delay has passed.
 *
 * @param doubt why nothing proves afterwards whether the write happened; undefined if it certainly did not happen
 */
function notShown(attempt: Attempt, delays: readonly number[], doubt: string | undefined): Settlement {
  const until = nextSettlingTime(attempt, delays);
  if (until !== undefined) return { status: 'uncertain', until };
  return doubt === undefined
    ? { status: 'not_applied' }
    : { status: 'held', reason: `${doubt}; ${NOBODY_KNOWS}` };
}

function undecided(until: Date | undefined): Settlement {
  return { status: 'uncertain', ...(until && { until }) };
}
