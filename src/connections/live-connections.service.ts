import { Injectable } from '@nestjs/common';
import type { PlatformName } from '@app/mapper';
import { SourceChanges } from '../matching/decisions/source-changes';
import { ConnectionsRepository } from '../records/connections/connections.repository';
import { getCustomer } from '../auth/customers/customers.repository';
import type { ConnectionName } from '../platforms/connector';
import { readCredentials } from '../platforms/given-credentials';
import { sourceOf } from '../platforms/credentials/company';
import { CredentialsService, type ShownCredentials } from '../platforms/credentials/credentials.service';
import { lockCustomer } from '../database/transaction/customer-lock';
import { CanonicalObjectsRepository } from '../records/objects/canonical-objects.repository';
import { hasDeletedOfLive, renameSource } from '../records/platform-records/deleted-records.repository';
import { PlatformRecordsRepository } from '../records/platform-records/platform-records.repository';
import { asConflict } from '../records/lock-conflict';
import type { CustomerTransaction } from '../database/transaction/store';
import { UnitOfWork } from '../database/transaction/unit-of-work';
import { ApiError } from '../common/errors/api-error';
import { Recorders } from '../outbox/outcome/recorder';
import { countOpenLive } from '../outbox/command/stored/stored-commands.repository';
import { CursorsRepository } from '../sync/reading/cursors.repository';
import { RunFailures } from '../sync/execution/run-failures';
import { SchedulesRepository } from '../sync/schedule/schedules.repository';
import { otherCompany, refuseOtherCompany } from './other-company';
import { purgeLive, type Removal } from './purge-live';

/**
 * What happens to stored records if new credentials lead to another company: the credentials are refused, the records
 * are removed, or they stay.
 */
export type OnOtherCompany = 'refuse' | 'replace' | 'keep';

/** The result of storing credentials. */
export interface Stored {
  /** The credentials without the secrets. */
  readonly shown: ShownCredentials;
  /** The removed records of another company; undefined if none were removed. */
  readonly replaced: Removal | undefined;
}

/** How long to wait for the customer's lock, in milliseconds. */
const LOCK_WAIT_MS = 20_000;

/** Connections to the customers' own companies on the platforms, in place of sandboxes. */
@Injectable()
export class LiveConnectionsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly credentials: CredentialsService,
    private readonly runs: RunFailures,
    private readonly schedules: SchedulesRepository,
    readonly recorders: Recorders,
    readonly connections: ConnectionsRepository,
    readonly records: PlatformRecordsRepository,
    readonly objects: CanonicalObjectsRepository,
    readonly cursors: CursorsRepository,
    readonly sourceChanges: SourceChanges,
  ) {}

  /**
   * Stores a customer's credentials for a platform, in place of earlier ones. The next run reads the platform, without
   * the pause that failures with the earlier ones have caused.
   *
   * Records of two companies are never mixed. Stored records stay only if they belong to the company of the new
   * credentials.
   *
   * @param text JSON in the platform's shape
   * @throws ApiError VALIDATION_ERROR that repeats no value; NOT_FOUND if the customer does not exist; CONFLICT_ERROR
   *   for a demo customer, for a platform with only a sandbox, without CREDENTIALS_KEYS, if records of another company
   *   are stored, and while other work holds the customer's records
   */
  async set(
    customerId: string,
    platform: PlatformName,
    text: string,
    onOther: OnOtherCompany = 'refuse',
  ): Promise<Stored> {
    const { settings, secrets } = readCredentials(platform, text);
    const name = { customerId, platform };
    let replaced: Removal | undefined;
    await whenFree(
      this.credentials.set(customerId, platform, settings, secrets, async (tx) => {
        // A run that is being published either precedes this transaction, which then sees it, or follows it and finds
        // changed settings.
        await lockCustomer(tx, 'exclusive');
        const read = await this.connections.findLive(tx, platform);
        const other = otherCompany(read, settings);
        if (other !== undefined && onOther === 'refuse') throw refuseOtherCompany(name, other);
        if (other !== undefined && onOther === 'replace') {
          replaced = await this.replaceWithin(tx, name);
          return;
        }
        if (other !== undefined) {
          await this.connections.setReadWith(tx, platform, settings);
          const [before, after] = [sourceOf('live', read?.readWith), sourceOf('live', settings)];
          if (before !== null && after !== null) {
            await renameSource(tx, platform, before, after);
            await this.sourceChanges.rename(tx, platform, before, after);
          }
        }
        // No run is locked behind the schedule: a run locks it in the other order.
        await this.schedules.endPause(tx, platform);
      }),
    );
    return { shown: await this.show(customerId, platform), replaced };
  }

  /**
   * A customer's credentials for a platform, without the secrets.
   *
   * @throws ApiError NOT_FOUND if the customer or the credentials do not exist
   */
  async show(customerId: string, platform: PlatformName): Promise<ShownCredentials> {
    const shown = await this.credentials.show(customerId, platform);
    if (shown !== undefined) return shown;
    await this.unitOfWork.run((store) => getCustomer(store.forCustomer(customerId)), { readOnly: true });
    throw notLive(customerId, platform);
  }

  /**
   * Refuses what {@link remove} without `purge` would refuse now, before anything is ended at the platform.
   *
   * @throws ApiError CONFLICT_ERROR while changes wait for the platform
   */
  async refuseWaiting(customerId: string, platform: PlatformName): Promise<void> {
    const open = await this.unitOfWork.runFor(
      customerId,
      (tx) => countOpenLive(tx, { customerId, platform }),
      { readOnly: true },
    );
    refuseWaiting(platform, open);
  }

  /**
   * Ends a live connection in one transaction under the customer's lock. It deletes the credentials and tokens, and
   * ends a run under way. The records stay until the next connect, which reads the sandbox.
   *
   * @param purge also removes the records, and cancels changes that wait for the platform. A later call may do that too
   * @throws ApiError NOT_FOUND if the customer or the connection does not exist; CONFLICT_ERROR while changes wait for
   *   the platform, and while other work holds the customer's records
   */
  async remove(customerId: string, platform: PlatformName, purge: boolean): Promise<Removal> {
    return whenFree(
      this.unitOfWork.runFor(customerId, (tx) => this.removeWithin(tx, platform, purge), {
        deadlines: 'bulk',
        lockWaitMs: LOCK_WAIT_MS,
      }),
    );
  }

  private async replaceWithin(tx: CustomerTransaction, name: ConnectionName): Promise<Removal> {
    const why = `the connection to ${name.platform} leads to another company now`;
    await this.runs.endLive(tx, name, new ApiError('CONFLICT_ERROR', sentence(why)));
    return purgeLive(tx, this, name, why);
  }

  private async removeWithin(
    tx: CustomerTransaction,
    platform: PlatformName,
    purge: boolean,
  ): Promise<Removal> {
    const name = { customerId: tx.customerId, platform };
    await lockCustomer(tx, 'exclusive');
    await getCustomer(tx);
    const open = await countOpenLive(tx, name);
    if (!purge) refuseWaiting(platform, open);
    const removed = await this.credentials.remove(tx, platform);
    const isLeft = async () =>
      open > 0 ||
      (await this.connections.findLive(tx, platform)) !== null ||
      (await hasDeletedOfLive(tx, platform));
    if (!removed && !(purge && (await isLeft()))) throw notLive(tx.customerId, platform);
    const why = `the live connection to ${platform} was removed`;
    await this.runs.endLive(tx, name, new ApiError('CONFLICT_ERROR', sentence(why)));
    return purge ? purgeLive(tx, this, name, why) : { recordsRemoved: 0, changesCancelled: 0 };
  }
}

/** @throws ApiError CONFLICT_ERROR while changes wait for the platform */
function refuseWaiting(platform: PlatformName, open: number): void {
  if (open === 0) return;
  throw new ApiError(
    'CONFLICT_ERROR',
    `${open === 1 ? 'One change waits' : `${open} changes wait`} for ${platform}; wait until ${open === 1 ? 'it is' : 'they are'} decided, or cancel ${open === 1 ? 'it' : 'them'} with --purge`,
  );
}

/** @throws ApiError CONFLICT_ERROR while other work holds the customer's records */
async function whenFree<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw asConflict(error, 'connection');
  }
}

function sentence(why: string): string {
  return why.charAt(0).toUpperCase() + why.slice(1);
}

function notLive(customerId: string, platform: PlatformName): ApiError {
  return new ApiError('NOT_FOUND', `Customer ${customerId} has no live connection to ${platform}`);
}
