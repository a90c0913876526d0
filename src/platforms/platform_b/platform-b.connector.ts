import { ApiError } from '../../common/errors/api-error';
import { later } from '../../runtime/clock/later';
import { Inject, Injectable } from '@nestjs/common';
import type { JsonObject, JsonPath, JsonValue, StoredEntityType } from '@app/mapper';
import { behaviourOf, forecastAt } from '@app/behaviour';
import { Clock } from '../../runtime/clock/clock';
import { CredentialsService } from '../credentials/credentials.service';
import type {
  AddressedRecord,
  CallBudget,
  Checkpoint,
  Connection,
  ConnectionTest,
  RecordPage,
  PlatformFacts,
  Prediction,
  ReadScope,
  RecordRef,
  SourceRecord,
  WriteCommand,
} from '../connector';
import type { CallerRequest, SendCallerRequest } from '../caller-request';
import { openForwarding } from '../live/forwarding/forward-request';
import { LiveAccess } from '../live/live-access';
import { LiveConnector, type WriteFailure } from '../live/live-connector';
import { TIME, type Time } from '../live/time';
import type { WriteSteps } from '../live/writing/write-steps';
import { TokenSource } from '../live/tokens/token-source';
import { PlatformClients } from '../live/transport/platform-clients';
import { platformBAccess } from './access';
import { isGuid, recordUrl } from './addresses';
import { platformBSettings } from './credentials';
import { platformBForwarding } from './forwarding';
import { kindAt } from './pages/compare-fields';
import { sameValue } from './pages/field-kinds';
import { callBudget } from './reading/call-budget';
import { localCurrency } from './reading/local-currency';
import { readRecord } from './reading/read-record';
import { NotPermitted } from './reading/records-in';
import { readScope } from './reading/read-scope';
import { isLeftOut } from './reading/targets';
import { tryConnection } from './reading/try-connection';
import { Session } from './session';
import { asPageShows, currencyRefusal, isOffPage } from './writing/fields/payment-page';
import { reasonOf, retryTime } from './writing/calls/retry-time';
import { isLocked, refusalOf } from './writing/refusals/refusals';
import { isInherited, sendable, sentChanges } from './writing/fields/sendable';
import { writeStepsOfB } from './writing/write-steps';

/** A signal that never aborts: the call ends by its own deadline. */
const never = new AbortController().signal;

/**
 * The platform ends a request after ten minutes, the time in its queue included, and shows what it has written up to a minute
 * late. Until then a request whose answer nobody waits for any more may still create its record.
 */
export const CREATION_LAGS: readonly number[] = [2_000, 10_000, 60_000, 660_000];

/** The ERP itself, over its API. The connector never posts anything. */
@Injectable()
export class PlatformBConnector extends LiveConnector {
  /**
   * Milliseconds after the end of an attempt at which the connector looks for a created record, because the platform
   * may show it late. A record that it does not find after the last of them was not created. Tests set other values.
   */
  creationLags = CREATION_LAGS;

  /** The same for a change of a record that is shown as it was before. Tests set other values. */
  lags: readonly number[] = [2_000, 10_000, 60_000];

  /** Milliseconds before each further read of a record that still shows the old state. Tests set other values. */
  pauses: readonly number[] = [500, 2_000, 8_000];

  override readonly foresees = true;

  private readonly access: LiveAccess;

  constructor(
    clients: PlatformClients,
    tokens: TokenSource,
    credentials: CredentialsService,
    protected readonly clock: Clock,
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
    const session = await this.open(connection);
    const payload = await readRecord(session, entityType, platformId, signal);
    if (payload === undefined) return undefined;
    if (entityType === 'payment' && isLeftOut(session.settings, payload)) return undefined;
    return { entityType, variant, payload };
  }

  override find(
    connection: Connection,
    ref: RecordRef,
    signal: AbortSignal,
  ): Promise<SourceRecord | undefined> {
    return this.get(connection, ref, signal);
  }

  override addresses(settings: JsonObject): (record: AddressedRecord) => string | undefined {
    const own = platformBSettings({ settings });
    return ({ entityType, platformId }) =>
      isGuid(platformId) ? recordUrl(own, entityType, platformId) : undefined;
  }

  override openRequest(connection: Connection, request: CallerRequest): Promise<SendCallerRequest> {
    return openForwarding(this.access, connection, platformBForwarding, request);
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
    // A new payment takes its currency from the record to which it applies.
    const sends = settings ? sent.filter((change) => !isOffPage(settings, entityType, change)) : sent;
    const taken = changes.filter((change) => !isInherited(planned, change, current));
    const write = { entityType, variant, current, changes: taken, referred };
    const made = behaviourOf(platform).write(write, forecastAt(this.clock.now()));
    // A record of a release before may still have a currency that its page never showed.
    const payload = settings ? asPageShows(settings, entityType, made) : made;
    return { status: 'applied', payload, writes: changes, sends };
  }

  override isSameValue(
    entityType: StoredEntityType,
    path: JsonPath,
    one: JsonValue | undefined,
    other: JsonValue | undefined,
  ): boolean {
    return sameValue(kindAt(entityType, path), one, other);
  }

  protected override async stepsOf(
    connection: Connection,
    planned: WriteCommand,
    signal: AbortSignal,
  ): Promise<WriteSteps> {
    const session = await this.open(connection);
    const work = { session, command: sendable(planned), signal, now: () => this.clock.now() };
    return writeStepsOfB(work, {
      rereads: this.pauses,
      creationLags: this.creationLags,
      lags: this.lags,
      pause: (ms) => this.time.sleep(ms, signal),
    });
  }

  protected override failureOf(error: unknown): WriteFailure | undefined {
    const reason = reasonOf(error);
    if (reason === undefined) return undefined;
    const now = this.clock.now();
    const asked = error instanceof ApiError ? Number(error.headers['Retry-After'] ?? NaN) : NaN;
    const lookAgain = Number.isFinite(asked) ? later(now, asked * 1_000) : undefined;
    return {
      reason,
      until: lookAgain ?? retryTime(now),
      isRefusal: error instanceof NotPermitted,
      ...(lookAgain && { lookAgain }),
    };
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

  /** @throws ApiError CONFLICT_ERROR when the connection has no credentials any more */
  private async open(connection: Connection): Promise<Session> {
    const { settings, sender } = await this.access.open(connection, platformBAccess);
    return new Session(settings, sender);
  }
}
