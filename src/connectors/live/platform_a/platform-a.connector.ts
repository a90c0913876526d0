import { Injectable } from '@nestjs/common';
import type { JsonObject } from '@app/mapper';
import { behaviourOf, forecastAt } from '@app/simulator';
import { Clock } from '../../../clock/clock';
import { CredentialsService } from '../../../credentials/credentials.service';
import { ApiError } from '../../../errors/api-error';
import {
  Connector,
  type CallBudget,
  type Checkpoint,
  type Connection,
  type ConnectionTest,
  type Page,
  type PlatformFacts,
  type Prediction,
  type ReadScope,
  type RecordRef,
  type Settlement,
  type SourceRecord,
  type WriteCommand,
  type WriteOutcome,
} from '../../connector';
import { TokenSource } from '../tokens/token-source';
import { PlatformClients } from '../transport/platform-clients';
import { platformALimits } from './limits';
import { callBudget } from './reading/call-budget';
import { findRecord } from './reading/find-record';
import { KnownCompanies } from './reading/known-companies';
import { readScope } from './reading/read-scope';
import { VendorDirectory } from './reading/vendor-directory';
import { visibleProjects } from './reading/visible-projects';
import { parentsIn, Whereabouts } from './reading/whereabouts';
import { Sessions } from './sessions';
import type { Session } from './wire/session';

/** The project platform itself, over HTTP. */
@Injectable()
export class PlatformAConnector extends Connector {
  private readonly whereabouts = new Whereabouts();
  private readonly companies = new KnownCompanies();

  private readonly sessions: Sessions;

  constructor(
    clients: PlatformClients,
    tokens: TokenSource,
    credentials: CredentialsService,
    private readonly clock: Clock,
  ) {
    super();
    this.sessions = new Sessions(clients, tokens, credentials);
  }

  /** Amounts that name no currency are in that of the settings, or in the platform's usual one. */
  override async describe(
    { customerId, platform }: Connection,
    signal?: AbortSignal,
  ): Promise<PlatformFacts> {
    const ends = signal ?? new AbortController().signal;
    const { settings } = await this.sessions.open({ customerId, platform }, ends);
    return { currency: settings.currency ?? behaviourOf(platform).currency };
  }

  override async *read(
    connection: Connection,
    scope: ReadScope,
    from: Checkpoint | null,
    signal: AbortSignal,
  ): AsyncIterable<Page> {
    const session = await this.sessions.open(connection, signal);
    for await (const page of readScope(session, this.vendors(session), scope, from)) {
      this.whereabouts.note(connection.customerId, page.records);
      yield page;
    }
  }

  override async get(
    connection: Connection,
    ref: RecordRef,
    signal: AbortSignal,
  ): Promise<SourceRecord | undefined> {
    const session = await this.sessions.open(connection, signal);
    const { entityType, platformId, known } = ref;
    const parents =
      parentsIn(entityType, known) ?? this.whereabouts.find(connection.customerId, entityType, platformId);
    const found = await findRecord({ session, vendors: this.vendors(session) }, ref, parents);
    if (found !== undefined) this.whereabouts.note(connection.customerId, [found]);
    return found;
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
    const { platform, entityType, variant, changes, referred } = command;
    const write = { entityType, variant, current, changes, referred };
    return { status: 'applied', payload: behaviourOf(platform).write(write, forecastAt(this.clock.now())) };
  }

  override submit(): Promise<WriteOutcome> {
    return Promise.reject(new Error('not yet'));
  }

  override settle(): Promise<Settlement> {
    return Promise.reject(new Error('not yet'));
  }

  private vendors(session: Session): VendorDirectory {
    return new VendorDirectory(session, this.companies.vendorsOf(session));
  }
}
