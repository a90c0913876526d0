import { Injectable } from '@nestjs/common';
import type { PlatformName } from '@app/mapper';
import { getCustomer } from '../auth/customers.service';
import { readCredentials } from '../connectors/given-credentials';
import { Connectors } from '../connectors/registry';
import { CredentialsService, type ShownCredentials } from '../credentials/credentials.service';
import { lockCustomer } from '../database/customer-lock';
import { isLockFailure } from '../database/database-errors';
import { ConnectionRow } from '../database/entities/connection.entity';
import { UnitOfWork, type Store } from '../database/unit-of-work';
import { ApiError } from '../errors/api-error';
import { cancelOpenLive, countOpenLive } from '../outbox/live-commands';
import { removePlatformRecords } from '../records/remove-platform';
import { endLiveRun } from '../sync/runs.repository';

/** What the removal of a live connection took with it. */
export interface Removal {
  /** Records of the platform that were stored. */
  readonly recordsRemoved: number;
  /** Changes that waited for the platform. */
  readonly changesCancelled: number;
}

/** How long the customer's lock is tried for, in milliseconds. */
const LOCK_PATIENCE_MS = 20_000;

/** The platforms that customers use themselves, in place of sandboxes. */
@Injectable()
export class LiveConnectionsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly credentials: CredentialsService,
    private readonly connectors: Connectors,
  ) {}

  /**
   * Stores the credentials of a customer for a platform, in place of those there were. The next run reads the platform.
   *
   * @param text JSON in the platform's shape
   * @returns what was stored, without the secrets
   * @throws ApiError VALIDATION_ERROR that repeats no value; NOT_FOUND without such a customer; CONFLICT_ERROR for a demo
   *   customer, a platform that has a sandbox only, and without CREDENTIALS_KEYS
   */
  async set(customerId: string, platform: PlatformName, text: string): Promise<ShownCredentials> {
    const { settings, secrets } = readCredentials(platform, text);
    await this.credentials.set(customerId, platform, settings, secrets);
    return this.show(customerId, platform);
  }

  /**
   * The credentials of a customer for a platform, without the secrets.
   *
   * @throws ApiError NOT_FOUND without such a customer, or such credentials
   */
  async show(customerId: string, platform: PlatformName): Promise<ShownCredentials> {
    const shown = await this.credentials.show(customerId, platform);
    if (shown !== undefined) return shown;
    await this.unitOfWork.run((store) => getCustomer(store, customerId), { readOnly: true });
    throw notLive(customerId, platform);
  }

  /**
   * Ends a live connection, in one transaction under the customer's lock. Its credentials and tokens go, and a run under way
   * ends. What was read stays until the next connect, which reads the sandbox.
   *
   * @param purge also removes what was read, and cancels changes that wait for the platform. It may come later, too
   * @throws ApiError NOT_FOUND without such a customer, or such a connection; CONFLICT_ERROR while changes wait for the
   *   platform, and while the customer's records are not free
   */
  async remove(customerId: string, platform: PlatformName, purge: boolean): Promise<Removal> {
    try {
      return await this.unitOfWork.run((store) => this.removeWithin(store, customerId, platform, purge), {
        patience: 'bulk',
        customerId,
        lockPatienceMs: LOCK_PATIENCE_MS,
      });
    } catch (error) {
      if (!isLockFailure(error)) throw error;
      throw new ApiError('CONFLICT_ERROR', "The customer's records are in use; try again in a moment", {
        cause: error,
      });
    }
  }

  private async removeWithin(
    store: Store,
    customerId: string,
    platform: PlatformName,
    purge: boolean,
  ): Promise<Removal> {
    const name = { customerId, platform };
    await lockCustomer(store, customerId, 'exclusive');
    await getCustomer(store, customerId);
    const open = await countOpenLive(store, name);
    if (open > 0 && !purge) {
      throw new ApiError(
        'CONFLICT_ERROR',
        `${open === 1 ? 'One change waits' : `${open} changes wait`} for ${platform}; wait until ${open === 1 ? 'it is' : 'they are'} decided, or cancel ${open === 1 ? 'it' : 'them'} with --purge`,
      );
    }
    const removed = await this.credentials.remove(store, customerId, platform);
    const connections = store.manager.getRepository(ConnectionRow);
    const read = await connections.existsBy({ customerId, platform, mode: 'live' });
    if (!removed && !(purge && (read || open > 0))) throw notLive(customerId, platform);
    await endLiveRun(
      store,
      name,
      new ApiError('CONFLICT_ERROR', `The live connection to ${platform} was removed`),
    );
    const changesCancelled = purge ? await cancelOpenLive(store, this.connectors, name) : 0;
    // What a sandbox gave is none of the platform's.
    if (!purge || !read) return { recordsRemoved: 0, changesCancelled };
    const recordsRemoved = await removePlatformRecords(store, customerId, platform);
    await connections.delete({ customerId, platform });
    return { recordsRemoved, changesCancelled };
  }
}

function notLive(customerId: string, platform: PlatformName): ApiError {
  return new ApiError('NOT_FOUND', `Customer ${customerId} has no live connection to ${platform}`);
}
