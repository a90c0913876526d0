import { Inject, Injectable } from '@nestjs/common';
import type { JsonObject, JsonValue } from '@app/mapper';
import { behaviourOf, forecastAt } from '@app/behaviour';
import { Clock } from '../../runtime/clock/clock';
import { later } from '../../runtime/clock/later';
import { CredentialsService } from '../credentials/credentials.service';
import { ApiError } from '../../common/errors/api-error';
import {
  Connector,
  RetryLater,
  type Attempt,
  type CallBudget,
  type Checkpoint,
  type Connection,
  type ConnectionTest,
  type NamedRecord,
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
import { ExistenceUnknown } from '../platform-error';
import { LiveAccess } from '../live/live-access';
import { WriteProgress } from '../live/write-progress';
import { TIME, type Time } from '../live/time';
import { TokenSource } from '../live/tokens/token-source';
import { PlatformClients } from '../live/transport/platform-clients';
import { platformALimits } from './limits';
import { callBudget } from './reading/call-budget';
import { lookFor } from './reading/find-record';
import { KnownCompanies } from './reading/known-companies';
import { readScope } from './reading/read-scope';
import { showRecord } from './reading/show-record';
import { VendorDirectory } from './reading/vendor-directory';
import { visibleProjects } from './reading/visible-projects';
import { parentsIn, ParentsCache, type Parents } from './reading/parents-cache';
import { Sessions } from './sessions';
import { NotReadable } from './wire/read-page';
import type { Session } from './wire/session';
import { create } from './writing/create';
import { knownRefusal, lockWords } from './writing/known-refusals';
import { recordIsGone } from './writing/write-result';
import { updateRecord } from './writing/update-record';
import { idsInNarrowestList, notedIds, notesOf } from './writing/new-records';
import { isOutage } from './writing/outage';
import { deferredBy } from './writing/send';
import { sentOf } from './writing/sent';
import { settleCreation, settleUpdate } from './writing/settle';
import { WritingTimes } from './writing/times';
import { readCurrent, parentsOf, type WriteContext } from './writing/write-context';

/** The project platform itself, over its HTTP API. */
@Injectable()
export class PlatformAConnector extends Connector {
  private readonly parents = new ParentsCache();
  private readonly companies = new KnownCompanies();

  private readonly sessions: Sessions;

  constructor(
    clients: PlatformClients,
    tokens: TokenSource,
    credentials: CredentialsService,
    private readonly clock: Clock,
    private readonly times: WritingTimes,
    @Inject(TIME) private readonly time: Time,
  ) {
    super();
    this.sessions = new Sessions(new LiveAccess(clients, tokens, credentials), clock);
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
    return saying(connection, async () => {
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
    const project = ref.entityType === 'project' ? ref.platformId : (parents?.project ?? ref.project);
    const { projects } = session.settings;
    // Projects that the settings exclude are not read, even if a notification names them.
    if (project !== undefined && projects?.includes(project) === false) return undefined;
    return saying(connection, () => this.listed(session, ref, parents));
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

  override async prepare(
    connection: Connection,
    command: WriteCommand,
    signal: AbortSignal,
    earlier?: JsonValue,
  ): Promise<JsonValue> {
    if (command.platformId !== null) return null;
    if (earlier !== undefined && notedIds(earlier) !== undefined) return earlier;
    try {
      return notesOf(await idsInNarrowestList(await this.work(connection, command, signal)));
    } catch (error) {
      // If the list may not be read, the record may not be written either. The response to the write reports that.
      if (error instanceof NotReadable) return null;
      if (signal.aborted || !isOutage(error)) throw error;
      const { until, reason } = deferredBy(error, this.times, (ms) => later(this.clock.now(), ms));
      throw new RetryLater(until, reason);
    }
  }

  override async submit(
    connection: Connection,
    command: WriteCommand,
    signal: AbortSignal,
    attempt?: Attempt,
  ): Promise<WriteOutcome> {
    const made = new WriteProgress();
    try {
      const work = await this.work(connection, command, signal, made);
      if (command.platformId !== null) {
        return made.withProgress(await this.update(work, command.platformId, attempt?.before));
      }
      if (notedIds(attempt?.notes) === undefined) {
        const reason = `${command.platform} does not let the list be read in which it would appear`;
        return { status: 'rejected', reason };
      }
      return made.withProgress(await create(work));
    } catch (error) {
      // A write may be on its way. Any other failure occurred before anything was sent.
      if (signal.aborted) return made.withProgress({ status: 'uncertain' });
      if (isOutage(error)) return deferredBy(error, this.times, (ms) => later(this.clock.now(), ms));
      throw error;
    }
  }

  override async settle(
    connection: Connection,
    command: WriteCommand,
    attempt: Attempt,
    signal: AbortSignal,
  ): Promise<Settlement> {
    const made = new WriteProgress();
    try {
      const work = await this.work(connection, command, signal, made);
      return made.withProgressOfSettling(
        await (command.platformId === null
          ? settleCreation(work, attempt)
          : settleUpdate(work, command.platformId, attempt)),
      );
    } catch (error) {
      if (signal.aborted || !isOutage(error)) throw error;
      return made.withProgressOfSettling({
        status: 'uncertain',
        until: deferredBy(error, this.times, (ms) => later(this.clock.now(), ms)).until,
      });
    }
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
    const listed = await lookFor({ session, vendors: this.vendors(session) }, ref, parents);
    if (listed !== undefined) this.parents.remember(session.connection.customerId, [listed]);
    return listed;
  }

  private async update(
    work: WriteContext,
    id: string,
    before: JsonObject | undefined,
  ): Promise<WriteOutcome> {
    const { command } = work;
    const { entityType, customerId } = command;
    const parents = parentsOf(command, before) ?? this.parents.find(customerId, entityType, id);
    const found = await readCurrent(work, id, parents);
    if (found === undefined) return recordIsGone;
    const current = found.payload;
    return updateRecord(work, { id, parents: parentsOf(command, current), current }, before);
  }

  private async work(
    connection: Connection,
    command: WriteCommand,
    signal: AbortSignal,
    made = new WriteProgress(),
  ): Promise<WriteContext> {
    const session = await this.sessions.open(connection, signal);
    return {
      session,
      vendors: this.vendors(session),
      command,
      times: this.times,
      progress: made,
      pause: (ms) => this.time.sleep(ms, signal),
    };
  }

  private vendors(session: Session): VendorDirectory {
    return new VendorDirectory(session, this.companies.vendorsOf(session));
  }
}

/** @throws ExistenceUnknown where the platform does not let be read what the record stands in */
async function saying(
  { platform }: Connection,
  look: () => Promise<SourceRecord | undefined>,
): Promise<SourceRecord | undefined> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof NotReadable) throw new ExistenceUnknown(platform, error.status, error.why);
    throw error;
  }
}
