import type { JsonValue } from '@app/mapper';
import type { Clock } from '../../runtime/clock/clock';
import {
  Connector,
  RetryLater,
  type Attempt,
  type Connection,
  type Settlement,
  type WriteCommand,
  type WriteOutcome,
} from '../connector';
import { LONGEST_WRITE_MS } from './forwarding/forward-request';
import { WriteEngine } from './writing/write-engine';
import { WriteProgress } from './writing/write-progress';
import type { WriteSteps } from './writing/write-steps';

/** A failure of the platform, of the network or of the database, between or before the calls of a write. */
export interface WriteFailure {
  /** For people, without secrets. */
  readonly reason: string;
  /** When the write is sent again if nothing was sent. */
  readonly until: Date;
  /** Whether the platform denies the account a right that the write needs. */
  readonly isRefusal?: boolean;
  /** When to look again for a write that may have been made; absent for the dispatcher's own pause. */
  readonly lookAgain?: Date;
}

type Uncertain = Extract<WriteOutcome, { readonly status: 'uncertain' }>;

/** A connector to a live platform. It writes through the write engine, with the steps of its platform. */
export abstract class LiveConnector extends Connector {
  override readonly longestRequestMs = LONGEST_WRITE_MS;

  protected abstract readonly clock: Clock;

  /** Begins a write, without a call to the platform. @throws ApiError without credentials */
  protected abstract stepsOf(
    connection: Connection,
    command: WriteCommand,
    signal: AbortSignal,
  ): Promise<WriteSteps>;

  /** What an error means for a write; undefined for an error of this service itself. */
  protected abstract failureOf(error: unknown): WriteFailure | undefined;

  override async prepare(
    connection: Connection,
    command: WriteCommand,
    signal: AbortSignal,
    earlier?: JsonValue,
  ): Promise<JsonValue> {
    // A change of an existing record is recognised by its values.
    if (command.platformId !== null) return null;
    try {
      const steps = await this.stepsOf(connection, command, signal);
      return await steps.notes(earlier);
    } catch (error) {
      const failure = this.failureOf(error);
      if (failure === undefined) throw error;
      throw new RetryLater(failure.until, failure.reason);
    }
  }

  override async submit(
    connection: Connection,
    command: WriteCommand,
    signal: AbortSignal,
    attempt?: Attempt,
  ): Promise<WriteOutcome> {
    const progress = new WriteProgress();
    try {
      const engine = new WriteEngine(await this.stepsOf(connection, command, signal), progress);
      if (await isOver(attempt)) return { status: 'deferred', until: this.clock.now() };
      return progress.withProgress(
        command.platformId === null
          ? await engine.create(attempt?.notes)
          : await engine.update(command.platformId, attempt?.before),
      );
    } catch (error) {
      const failure = this.failureOf(error);
      const isFault = failure === undefined && !signal.aborted;
      // The error must not hide the part that the platform has accepted.
      if (progress.hasAccepted) {
        return progress.withProgress(uncertain(failure, isFault, error));
      }
      if (isFault) throw error;
      // The platform has accepted no call, and no call is without an answer: a lost answer is an outcome.
      if (failure === undefined) return { status: 'deferred', until: this.clock.now() };
      const { until, reason, isRefusal } = failure;
      return isRefusal ? { status: 'rejected', reason } : { status: 'deferred', until, reason };
    }
  }

  override async settle(
    connection: Connection,
    command: WriteCommand,
    attempt: Attempt,
    signal: AbortSignal,
  ): Promise<Settlement> {
    const progress = new WriteProgress();
    try {
      const engine = new WriteEngine(await this.stepsOf(connection, command, signal), progress);
      if (await isOver(attempt)) return { status: 'uncertain' };
      return progress.withProgressOfSettling(
        command.platformId === null
          ? await engine.settleCreation(attempt)
          : await engine.settleUpdate(command.platformId, attempt),
      );
    } catch (error) {
      // The write can be settled later. Only what was sent moves the end of the attempt, whatever the error.
      const failure = this.failureOf(error);
      const isFault = failure === undefined && !signal.aborted;
      return progress.withProgressOfSettling(uncertain(failure, isFault, error));
    }
  }
}

function uncertain(failure: WriteFailure | undefined, isFault: boolean, error: unknown): Uncertain {
  const until = failure?.lookAgain;
  return { status: 'uncertain', ...(until && { until }), ...(isFault && { fault: error }) };
}

async function isOver(attempt: Attempt | undefined): Promise<boolean> {
  return attempt?.isCurrent !== undefined && !(await attempt.isCurrent());
}
