import { Inject, Injectable } from '@nestjs/common';
import type { JsonObject, JsonValue } from '@app/mapper';
import { behaviourOf, forecastAt } from '@app/behaviour';
import { Clock } from '../../runtime/clock/clock';
import { CredentialsService } from '../credentials/credentials.service';
import {
  Connector,
  RetryLater,
  type Attempt,
  type CallBudget,
  type Checkpoint,
  type Connection,
  type ConnectionTest,
  type RecordPage,
  type PlatformFacts,
  type Prediction,
  type ReadScope,
  type RecordRef,
  type Settlement,
  type SourceRecord,
  type WriteCommand,
  type WriteOutcome,
} from '../connector';
import { LiveAccess } from '../live/live-access';
import { TIME, type Time } from '../live/time';
import { TokenSource } from '../live/tokens/token-source';
import { PlatformClients } from '../live/transport/platform-clients';
import { platformBAccess } from './access';
import { callBudget } from './reading/call-budget';
import { localCurrency } from './reading/local-currency';
import { readRecord } from './reading/read-record';
import { readScope } from './reading/read-scope';
import { tryConnection } from './reading/try-connection';
import { Session } from './session';
import { createRecord } from './writing/create-record';
import { notesFor, readNotes, storedNotes } from './writing/creation-notes';
import { asPageShows, currencyRefusal, isOffPage } from './writing/payment-page';
import { reasonOf, retryTime } from './writing/retry-time';
import { isLocked, refusalOf } from './writing/refusals';
import { isInherited, sendable, sentChanges } from './writing/sendable';
import { settleWrite } from './writing/settle-write';
import { updateRecord } from './writing/update-record';
import { runWrite, WriteSession, type RereadPauses } from './writing/write-session';

/** A signal that never aborts: the call ends by its own deadline. */
const never = new AbortController().signal;

/** The ERP itself, over its API. The connector never posts anything. */
@Injectable()
export class PlatformBConnector extends Connector {
  /**
   * A record that was created may be shown late: the looks for it, in milliseconds after the attempt ended. What does not show
   * after the last was not created. Tests set other values.
   */
  lags: readonly number[] = [2_000, 10_000, 60_000];

  /** Milliseconds before each further read of a record that still shows the old state. Tests set other values. */
  pauses: readonly number[] = [500, 2_000, 8_000];

  override readonly foresees = true;

  private readonly access: LiveAccess;

  constructor(
    clients: PlatformClients,
    tokens: TokenSource,
    credentials: CredentialsService,
    private readonly clock: Clock,
    @Inject(TIME) private readonly time: Time,
  ) {
    super();
    this.access = new LiveAccess(clients, tokens, credentials);
  }

  override async describe(connection: Connection, signal = never): Promise<PlatformFacts> {
    return { currency: await localCurrency(await this.open(connection), signal) };
  }

  override async *read(
    connection: Connection,
    scope: ReadScope,
    from: Checkpoint | null,
    signal: AbortSignal,
  ): AsyncGenerator<RecordPage> {
    const session = await this.open(connection);
    yield* readScope(session, scope, from, () => this.clock.now(), signal);
  }

  override async get(
    connection: Connection,
    { entityType, variant, platformId }: RecordRef,
    signal: AbortSignal,
  ): Promise<SourceRecord | undefined> {
    const payload = await readRecord(await this.open(connection), entityType, platformId, signal);
    return payload && { entityType, variant, payload };
  }

  override find(
    connection: Connection,
    ref: RecordRef,
    signal: AbortSignal,
  ): Promise<SourceRecord | undefined> {
    return this.get(connection, ref, signal);
  }

  override predict(
    planned: WriteCommand,
    current: JsonObject | undefined,
    settings?: JsonObject,
  ): Prediction {
    const command = sendable(planned);
    const sent = sentChanges(command, current);
    const reason =
      refusalOf(command, current) ??
      (settings && current && currencyRefusal(settings, command.entityType, sent));
    if (reason !== undefined) {
      return {
        status: 'rejected',
        reason,
        ...(isLocked(command, current, reason) && { isLock: true as const }),
      };
    }
    const { platform, entityType, variant, changes, referred } = command;
    // A new payment has its currency from what it is for.
    const sends = settings ? sent.filter((change) => !isOffPage(settings, entityType, change)) : sent;
    const taken = changes.filter((change) => !isInherited(planned, change, current));
    const write = { entityType, variant, current, changes: taken, referred };
    const made = behaviourOf(platform).write(write, forecastAt(this.clock.now()));
    // A record of a release before may still have a currency that its page never showed.
    const payload = settings ? asPageShows(settings, entityType, made) : made;
    return { status: 'applied', payload, writes: changes, sends };
  }

  override async prepare(
    connection: Connection,
    command: WriteCommand,
    signal: AbortSignal,
    earlier?: JsonValue,
  ): Promise<JsonValue> {
    // A change of an existing record is recognised by its values.
    if (command.platformId !== null) return null;
    try {
      const notes = await notesFor(await this.open(connection), command, signal);
      return storedNotes(earlier === undefined ? notes : { ...notes, ids: readNotes(earlier).ids });
    } catch (error) {
      const reason = reasonOf(error);
      if (reason === undefined) throw error;
      throw new RetryLater(retryTime(this.clock.now()), reason);
    }
  }

  override submit(
    connection: Connection,
    planned: WriteCommand,
    signal: AbortSignal,
    attempt?: Attempt,
  ): Promise<WriteOutcome> {
    const command = sendable(planned);
    const open = (): Promise<Session> => this.open(connection);
    const now = (): Date => this.clock.now();
    return runWrite(open, now, signal, this.patience, async (writer) => {
      const { platformId } = command;
      if (platformId !== null) return updateRecord(writer, { ...command, platformId }, attempt?.before);
      const notes =
        attempt?.notes === undefined
          ? await notesFor(writer.session, command, signal)
          : readNotes(attempt.notes);
      return createRecord(writer, command, notes);
    });
  }

  override async settle(
    connection: Connection,
    command: WriteCommand,
    attempt: Attempt,
    signal: AbortSignal,
  ): Promise<Settlement> {
    let writer: WriteSession | undefined;
    try {
      const session = await this.open(connection);
      writer = new WriteSession(session, () => this.clock.now(), signal, this.patience);
      return writer.progress.withProgressOfSettling(
        await settleWrite(writer, sendable(command), attempt, this.lags),
      );
    } catch (error) {
      // The write can be settled later.
      if (reasonOf(error) === undefined) throw error;
      const unknown: Settlement = { status: 'uncertain' };
      return writer === undefined ? unknown : writer.progress.withProgressOfSettling(unknown);
    }
  }

  override async budget(
    connection: Connection,
    scopes: readonly ReadScope[],
    signal: AbortSignal,
  ): Promise<CallBudget> {
    return callBudget(await this.open(connection), scopes, signal);
  }

  override test(connection: Connection, signal: AbortSignal): Promise<ConnectionTest> {
    return tryConnection(() => this.open(connection), signal);
  }

  private get patience(): RereadPauses {
    return { pauses: this.pauses, sleep: (ms, signal) => this.time.sleep(ms, signal) };
  }

  /** @throws ApiError CONFLICT_ERROR when the connection has no credentials any more */
  private async open(connection: Connection): Promise<Session> {
    const { settings, sender } = await this.access.open(connection, platformBAccess);
    return new Session(settings, sender);
  }
}
