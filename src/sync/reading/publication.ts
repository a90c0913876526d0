import { Injectable } from '@nestjs/common';
import { parseJsonText, type PlatformName, type StoredEntityType } from '@app/mapper';
import { lockCustomer } from '../../database/transaction/customer-lock';
import type { CustomerTransaction } from '../../database/transaction/store';
import {
  ConnectionsRepository,
  lockCustomerRow,
  readConnection,
  saveConnection,
  type LastRead,
} from '../../records/connections/connections.repository';
import {
  PlatformRecordsRepository,
  type RecordCount,
} from '../../records/platform-records/platform-records.repository';
import { hasStaged } from '../../matching/round/staged-records.repository';
import { databaseTime } from '../../database/transaction/database-time';
import { noteEvents } from '../../records/events/events.repository';
import { noteObjectEvents } from '../../records/events/object-events.repository';
import { recordChange } from '../../records/changes/changes.repository';
import { keepCurrency } from '../../records/connections/connection-currencies.repository';
import { SourceChanges } from '../../matching/decisions/source-changes';
import { MATCHING_VERSION } from '../../matching/rule/key-groups.sql';
import { reconcile, type ReconcileResult } from '../../matching/reconcile';
import type { StoredDecision } from '../../matching/rule/stored-decision';
import type { ConnectionMode } from '../../platforms/connector';
import { sourceOf } from '../../platforms/credentials/company';
import { WebhookSchedulesRepository } from '../../platforms/webhook-schedules.repository';
import { concludeAbsences, type AbsenceLookups, type StoredSource } from '../absences/absences.repository';
import { checkCheckpoints, type Progress } from '../run/checkpoints.repository';
import { CursorsRepository } from './cursors.repository';
import { unsettledScopes } from './known-records.repository';
import { connectionRecovered, deletionsHeld, runCompleted } from '../run/run-events';
import { noCounts, RunLost, type ClaimedRun, type TypeCounts } from '../run/run';
import { reportOf, type Deletions, type RunReport } from '../run/run-report';
import { settingsReadWith } from '../run/run-settings.repository';
import { RunsRepository } from '../run/runs.repository';
import { SchedulesRepository } from '../schedule/schedules.repository';
import { SyncTimes } from '../schedule/sync-times';

/** The result of a run. */
export interface Published {
  /** Records of the platform that are stored now. */
  readonly stored: TypeCounts;
  readonly reconciled: ReadonlyMap<StoredEntityType, ReconcileResult>;
  readonly deletions: ReadonlyMap<StoredEntityType, Deletions>;
  readonly report: RunReport;
}

/** The results of a run that has read all its scopes. */
export interface WholeReading {
  readonly currency: string;
  /** When the reading began, as the database writes it. */
  readonly readingSince: string;
  readonly seen: ReadonlyMap<StoredEntityType, Progress>;
  readonly lookups: ReadonlyMap<StoredEntityType, AbsenceLookups>;
}

/** Publishes the records that runs have staged. */
@Injectable()
export class Publication {
  constructor(
    private readonly runs: RunsRepository,
    private readonly cursors: CursorsRepository,
    private readonly schedules: SchedulesRepository,
    private readonly webhooks: WebhookSchedulesRepository,
    private readonly records: PlatformRecordsRepository,
    private readonly connections: ConnectionsRepository,
    private readonly sourceChanges: SourceChanges,
    private readonly times: SyncTimes,
  ) {}

  /**
   * Publishes the staged records of a run and ends the run, in the caller's transaction: all of it or nothing. Blocks
   * every change of the customer's records until the transaction ends.
   *
   * @throws RunLost
   * @throws ApiError CONFLICT_ERROR if the connection was changed to another account
   */
  async publish(
    tx: CustomerTransaction,
    run: ClaimedRun,
    { currency, readingSince, seen, lookups }: WholeReading,
  ): Promise<Published> {
    const { platform } = run.connection;
    if (!(await lockCustomer(tx, 'exclusive'))) throw new RunLost();
    await lockCustomerRow(tx);
    await this.runs.hold(tx, run, this.times.lease);
    await checkCheckpoints(tx, run, seen.size);
    const readWith = await settingsReadWith(tx, run);
    const connected = await readConnection(tx, platform);
    const cause = { id: run.id, at: await databaseTime(tx.store) };
    const source = sourceOf(run.connection.mode, parsed(readWith));
    const readings = { seen, readingSince, lookups, cause, source };
    const deletions = await concludeAbsences(tx, run, readings, connected && storedSource(connected));
    const decided = await this.followSource(tx, run, connected, { source, at: cause.at });
    const someWent = [...deletions.values()].some(({ deleted }) => deleted > 0);
    const asBefore =
      connected === undefined || someWent || decided.length > 0
        ? undefined
        : await this.countIfAsBefore(tx, run, connected.syncedAt);
    const reconciled =
      asBefore === undefined
        ? await reconcile(tx, {
            runId: run.id,
            platform,
            isFirst: connected === undefined,
            source,
            readingSince,
            cause,
          })
        : new Map<StoredEntityType, ReconcileResult>();
    const otherCurrency = connected !== undefined && connected.currency !== currency;
    if (otherCurrency) await keepCurrency(tx, platform, cause);
    if (asBefore === undefined || otherCurrency) {
      recordChange(tx, cause, { origin: 'run', platform, ruleVersion: MATCHING_VERSION });
      noteObjectEvents(tx, cause);
    }
    // Before the first connect the platform has no stored records, so no write to them can be open.
    const stored =
      asBefore ??
      (connected === undefined ? countsOf(reconciled) : countsOfRows(await this.records.count(tx, platform)));
    const unsettled = connected === undefined ? none : await unsettledScopes(tx, run, readingSince);
    const total = Object.values(stored).reduce((sum, count) => sum + count, 0);
    await saveConnection(tx, run.connection, { total, currency, readWith, at: cause.at });
    await this.cursors.save(tx, run, seen, unsettled);
    const report = reportOf(seen, deletions);
    const heldBefore = report.deletionsHeld > 0 ? await this.runs.lastHeld(tx, run) : 0;
    await this.runs.finish(tx, run, stored, report, cause.at);
    const events = [
      runCompleted(run, { stored, reconciled, report }),
      ...(await this.sourceChanges.events(tx, decided)),
    ];
    if (report.deletionsHeld > 0 && report.deletionsHeld !== heldBefore)
      events.push(deletionsHeld(run, deletions));
    if (run.connection.mode === 'live') {
      const failures = await this.schedules.planAfterSuccess(
        tx,
        run,
        this.times,
        report.whole ? readingSince : null,
      );
      if (failures > 0) events.push(connectionRecovered(run, failures));
      this.webhooks.begin(tx, platform);
    }
    noteEvents(tx, cause, events);
    return { stored, reconciled, deletions, report };
  }

  /** Ends and renews decisions where the run has read another source than the one before. @returns the changed decisions */
  private async followSource(
    tx: CustomerTransaction,
    { connection: { platform, mode } }: ClaimedRun,
    before: LastRead | undefined,
    { source, at }: { readonly source: string | null; readonly at: string },
  ): Promise<readonly StoredDecision[]> {
    if (before !== undefined && before.mode === mode) return [];
    const sources = await this.connections.sources(tx);
    const why = replacedBy(mode, platform);
    const ended =
      before === undefined ? [] : await this.sourceChanges.end(tx, platform, { sources, why, at });
    const renewed = await this.sourceChanges.renew(tx, { ...sources, [platform]: source }, at);
    return [...ended, ...renewed];
  }

  /**
   * Counts the records of a platform if there is nothing to do: the run has read what is stored, and no record of the
   * customer was written since the platform was last connected. The results of these records were computed then, or in a
   * later run of another platform, which matches the records of all platforms.
   *
   * @returns undefined if there may be something to do
   */
  private async countIfAsBefore(
    tx: CustomerTransaction,
    { connection: { platform }, id }: ClaimedRun,
    since: string,
  ): Promise<TypeCounts | undefined> {
    if (await hasStaged(tx, id)) return undefined;
    // `synced_at` is the start of the transaction, which precedes its lock. A write that the transaction has seen may
    // count again, but no write is missed.
    const rows = await this.records.countWritten(tx, since);
    if (rows.some(({ written }) => written)) return undefined;
    return countsOfRows(rows.filter((row) => row.platform === platform));
  }
}

const none: ReadonlySet<StoredEntityType> = new Set();

function replacedBy(mode: ConnectionMode, platform: PlatformName): string {
  return mode === 'live'
    ? `${platform} itself is read now, and no longer its sandbox`
    : `the sandbox of ${platform} is read now, and no longer the platform itself`;
}

function storedSource({ mode, readWith }: LastRead): StoredSource {
  return { mode, source: sourceOf(mode, parsed(readWith)) };
}

function parsed(settings: string | null): unknown {
  return settings === null ? null : parseJsonText(settings);
}

/** The number of records by type, for a platform without other records. */
function countsOf(reconciled: ReadonlyMap<StoredEntityType, ReconcileResult>): TypeCounts {
  const counts = noCounts();
  for (const [entityType, { added, returned }] of reconciled) counts[entityType] = added + returned;
  return counts;
}

function countsOfRows(rows: readonly RecordCount[]): TypeCounts {
  const counts = noCounts();
  for (const { entityType, count } of rows) counts[entityType] = count;
  return counts;
}
