import { Inject, Injectable } from '@nestjs/common';
import type { JsonObject, JsonPath, JsonValue, StoredEntityType } from '@app/mapper';
import { behaviourOf, forecastAt } from '@app/behaviour';
import { Clock } from '../../runtime/clock/clock';
import { later } from '../../runtime/clock/later';
import { CredentialsService } from '../credentials/credentials.service';
import { ApiError } from '../../common/errors/api-error';
import type {
  AddressedRecord,
  CallBudget,
  Checkpoint,
  Connection,
  ConnectionTest,
  NamedRecord,
  RecordPage,
  PlatformFacts,
  Prediction,
  ReadScope,
  RecordRef,
  SourceRecord,
  WriteCommand,
} from '../connector';
import { ExistenceUnknown } from '../platform-error';
import type { CallerRequest, SendCallerRequest } from '../caller-request';
import { openForwarding } from '../live/forwarding/forward-request';
import { LiveAccess } from '../live/live-access';
import { LiveConnector, type WriteFailure } from '../live/live-connector';
import { TIME, type Time } from '../live/time';
import type { WriteSteps } from '../live/writing/write-steps';
import { TokenSource } from '../live/tokens/token-source';
import { PlatformClients } from '../live/transport/platform-clients';
import { platformASettings } from './credentials';
import { platformAForwarding } from './forwarding';
import { platformALimits } from './limits';
import { callBudget } from './reading/call-budget';
import { findRecord } from './reading/find-record';
import { KnownCompanies } from './reading/known-companies';
import { readScope } from './reading/read-scope';
import { recordAddresses, showRecord } from './reading/show-record';
import { VendorDirectory } from './reading/vendor-directory';
import { visibleProjects } from './reading/visible-projects';
import { parentsIn, ParentsCache, type Parents } from './reading/parents-cache';
import { Sessions } from './sessions';
import { ownRefusal } from './wire/read-page';
import type { Session } from './wire/session';
import { knownRefusal, lockWords } from './writing/refusals/known-refusals';
import { isOutage } from './writing/refusals/outage';
import { deferredBy } from './writing/calls/send';
import { sentOf } from './writing/fields/sent';
import { sameValue } from './writing/fields/values';
import { WritingTimes } from './writing/calls/times';
import { writeStepsOfA } from './writing/write-steps';

/** The project platform itself, over its HTTP API. */
@Injectable()
export class PlatformAConnector extends LiveConnector {
  private readonly parents = new ParentsCache();
  private readonly companies = new KnownCompanies();

  private readonly access: LiveAccess;
  private readonly sessions: Sessions;

  constructor(
    clients: PlatformClients,
    tokens: TokenSource,
    credentials: CredentialsService,
    protected readonly clock: Clock,
    private readonly times: WritingTimes,
    @Inject(TIME) private readonly time: Time,
  ) {
    super();
    this.access = new LiveAccess(clients, tokens, credentials);
    this.sessions = new Sessions(this.access, clock);
  }

  /** Amounts that name no currency are in that of the settings, or in the platform's usual one. */
  override async describe(connection: Connection, signal?: AbortSignal): Promise<PlatformFacts> {
    const ends = signal ?? new AbortController().signal;
    const { settings } = await this.sessions.open(connection, ends);
    return { currency: settings.currency ?? behaviourOf(connection.platform).currency };
  }

  override async *read(
    connection: Connection,
    scope: ReadScope,
    from: Checkpoint | null,
    signal: AbortSignal,
  ): AsyncIterable<RecordPage> {
    const session = await this.sessions.open(connection, signal);
    for await (const page of readScope(session, this.vendors(session), scope, from)) {
      this.parents.remember(connection.customerId, page.records);
      yield page;
    }
  }

  override async get(
    connection: Connection,
    ref: RecordRef,
    signal: AbortSignal,
  ): Promise<SourceRecord | undefined> {
    const session = await this.sessions.open(connection, signal);
    const parents = this.parentsOf(connection, ref);
    if (isLeftOut(session, ref, parents)) return undefined;
    return whereReadable(connection, async () => {
      const listed = await this.listed(session, ref, parents);
      return listed ?? showRecord(session, ref, parents);
    });
  }

  override async find(
    connection: Connection,
    ref: RecordRef & Pick<NamedRecord, 'project'>,
    signal: AbortSignal,
  ): Promise<SourceRecord | undefined> {
    const session = await this.sessions.open(connection, signal);
    const parents = this.parentsOf(connection, ref);
    if (isLeftOut(session, ref, parents)) return undefined;
    return whereReadable(connection, () => this.listed(session, ref, parents));
  }

  override async budget(
    connection: Connection,
    scopes: readonly ReadScope[],
    signal: AbortSignal,
  ): Promise<CallBudget> {
    return callBudget(await this.sessions.open(connection, signal), scopes, platformALimits);
  }

  override async test(connection: Connection, signal: AbortSignal): Promise<ConnectionTest> {
    try {
      const session = await this.sessions.open(connection, signal);
      const { ids, unseen } = await visibleProjects(session);
      const also = unseen.length === 0 ? '' : `; not to be seen: ${unseen.slice(0, 20).join(', ')}`;
      return {
        ok: unseen.length === 0,
        message: `${connection.platform} shows ${ids.length} projects${also}`,
      };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ApiError)) throw error;
      return { ok: false, message: error.message };
    }
  }

  override addresses(settings: JsonObject): (record: AddressedRecord) => string | undefined {
    const own = platformASettings({ settings });
    return ({ parents, ...ref }) => {
      const { project, contract } = parents;
      return recordAddresses(own, ref, project === undefined ? undefined : { project, contract })[0];
    };
  }

  override openRequest(connection: Connection, request: CallerRequest): Promise<SendCallerRequest> {
    return openForwarding(this.access, connection, platformAForwarding, request);
  }

  override predict(command: WriteCommand, current: JsonObject | undefined): Prediction {
    const reason = knownRefusal(command, current);
    if (reason !== undefined) {
      return {
        status: 'rejected',
        reason,
        ...(reason === lockWords(command, current) && { isLock: true as const }),
      };
    }
    const { platform, entityType, variant, changes, referred } = command;
    const write = { entityType, variant, current, changes, referred };
    const payload = behaviourOf(platform).write(write, forecastAt(this.clock.now()));
    return { status: 'applied', payload, sends: sentOf(entityType, changes, current) };
  }

  override isSameValue(
    entityType: StoredEntityType,
    path: JsonPath,
    one: JsonValue | undefined,
    other: JsonValue | undefined,
  ): boolean {
    return sameValue(entityType, path, one, other);
  }

  protected override async stepsOf(
    connection: Connection,
    command: WriteCommand,
    signal: AbortSignal,
  ): Promise<WriteSteps> {
    const session = await this.sessions.open(connection, signal);
    const { customerId, entityType, platformId } = command;
    const parents = platformId === null ? undefined : this.parents.find(customerId, entityType, platformId);
    return writeStepsOfA(
      { session, vendors: this.vendors(session), command, times: this.times },
      parents,
      (ms) => this.time.sleep(ms, signal),
    );
  }

  protected override failureOf(error: unknown): WriteFailure | undefined {
    if (!isOutage(error)) return undefined;
    const { until, reason } = deferredBy(error, this.times, (ms) => later(this.clock.now(), ms));
    return { until, reason, lookAgain: until };
  }

  private parentsOf(
    { customerId }: Connection,
    { entityType, platformId, known }: RecordRef,
  ): Parents | undefined {
    return parentsIn(entityType, known) ?? this.parents.find(customerId, entityType, platformId);
  }

  private async listed(
    session: Session,
    ref: RecordRef & Pick<NamedRecord, 'project'>,
    parents: Parents | undefined,
  ): Promise<SourceRecord | undefined> {
    const listed = await findRecord({ session, vendors: this.vendors(session) }, ref, parents);
    if (listed !== undefined) this.parents.remember(session.connection.customerId, [listed]);
    return listed;
  }

  private vendors(session: Session): VendorDirectory {
    return new VendorDirectory(session, this.companies.vendorsOf(session));
  }
}

/**
 * Whether a record belongs to a project that the settings leave out. Readings do not contain it, so it is not found one by
 * one either, even if a notification names it.
 */
function isLeftOut(
  { settings: { projects } }: Session,
  { entityType, platformId, project }: RecordRef & Pick<NamedRecord, 'project'>,
  parents: Parents | undefined,
): boolean {
  const own = entityType === 'project' ? platformId : (parents?.project ?? project);
  return own !== undefined && projects?.includes(own) === false;
}

/** @throws ExistenceUnknown if the platform itself does not let the service read a parent of the record; PlatformError */
async function whereReadable(
  { platform }: Connection,
  look: () => Promise<SourceRecord | undefined>,
): Promise<SourceRecord | undefined> {
  try {
    return await look();
  } catch (error) {
    const { status, why } = ownRefusal(error);
    throw new ExistenceUnknown(platform, status, why);
  }
}
