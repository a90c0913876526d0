import { Inject, Injectable } from '@nestjs/common';
import { platformNames, storedEntityTypes, type PlatformName, type StoredEntityType } from '@app/mapper';
import { invalidKey } from '../auth/api-key.guard';
import type { Customer } from '../auth/customer';
import { LOCK_NOT_AVAILABLE, sqlStateOf } from '../database/database-errors';
import type { Store } from '../database/store';
import { lockCustomer } from '../database/customer-lock';
import { UnitOfWork } from '../database/unit-of-work';
import { ApiError } from '../errors/api-error';
import { plurals, type ConnectResult, type ConnectionRecord, type EntityCounts } from './connections.answer';
import { LOGGER, type Logger } from '../logging/logger';
import { bringIn, prepareMatching, type BroughtIn } from './matching';
import { Metrics } from '../metrics/metrics';
import { Connectors } from '../connectors/registry';
import { stageRecords, type Staged } from './staging';
import { refreshStatistics } from './statistics';

/** Connects platforms, which brings their records in, and lists what is connected. */
@Injectable()
export class ConnectionsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly connectors: Connectors,
    private readonly metrics: Metrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Brings a platform's records in and matches them with those of the other platforms, in one transaction. Again on a
   * connected platform it synchronises. Two at once follow one another.
   *
   * @throws ApiError CONFLICT_ERROR when another connect of this customer does not end in time
   */
  async connect(customer: Customer, platform: PlatformName): Promise<ConnectResult> {
    const connection = { customerId: customer.id, platform };
    const connector = this.connectors.connectorFor(connection);
    try {
      const { currency } = await connector.describe(connection);
      const { entities, staged, brought } = await this.unitOfWork.run(
        async (store) => {
          await lockForConnect(store, customer);
          const staged = await stageRecords(store, connection, currency, connector);
          await prepareMatching(store);
          const others = platformNames.filter((name) => name !== platform);
          const brought = new Map<StoredEntityType, BroughtIn>();
          for (const entityType of storedEntityTypes) {
            const round = { customerId: customer.id, platform, entityType };
            brought.set(entityType, await bringIn(store, round, others));
          }
          const entities = await countRecords(store, customer, platform);
          await saveConnection(store, customer, platform, currency, entities);
          await refreshStatistics(
            store,
            sumOf(brought, ({ added }) => added),
          );
          return { entities, staged, brought };
        },
        { patience: 'bulk' },
      );
      this.report(platform, staged, brought);
      return { platform, status: 'connected', entities };
    } catch (error) {
      this.metrics.countConnect(platform, 'failed');
      if (sqlStateOf(error) !== LOCK_NOT_AVAILABLE) throw error;
      throw new ApiError('CONFLICT_ERROR', 'Another connect is under way; try again when it is done', {
        cause: error,
      });
    }
  }

  private report(
    platform: PlatformName,
    staged: Staged,
    brought: ReadonlyMap<StoredEntityType, BroughtIn>,
  ): void {
    this.metrics.countConnect(platform, 'connected');
    for (const [entityType, { added, changed, linked }] of brought) {
      this.metrics.countEntities(platform, entityType, 'new', added);
      this.metrics.countEntities(platform, entityType, 'changed', changed);
      this.metrics.countEntities(platform, entityType, 'linked', linked);
    }
    const counts = {
      new: sumOf(brought, ({ added }) => added),
      changed: sumOf(brought, ({ changed }) => changed),
      linked: sumOf(brought, ({ linked }) => linked),
      without_id: staged.withoutId,
      unreadable_fields: staged.unreadableFields,
    };
    this.logger.info({ context: 'Connections', platform, ...counts }, 'connected');
  }

  /** The connected platforms, in order of precedence. */
  async list(customer: Customer): Promise<readonly ConnectionRecord[]> {
    const rows = await this.unitOfWork.run((store) =>
      store.query<{ platform: PlatformName; connected_at: Date; entities_synced: number }>(
        'select platform, connected_at, entities_synced from connections where customer_id = $1 order by platform',
        [customer.id],
      ),
    );
    return rows.map(({ platform, connected_at, entities_synced }) => ({
      platform,
      status: 'active',
      connected_at: connected_at.toISOString(),
      entities_synced,
    }));
  }
}

// Changes hold the customer's lock shared: they wait for this, and this for them.
async function lockForConnect(store: Store, customer: Customer): Promise<void> {
  await store.query(`set local lock_timeout = '20s'`);
  if (!(await lockCustomer(store, customer.id, 'exclusive'))) throw invalidKey();
  await store.query(`set local lock_timeout = 0`);
}

function sumOf(brought: ReadonlyMap<StoredEntityType, BroughtIn>, count: (one: BroughtIn) => number): number {
  return [...brought.values()].reduce((sum, one) => sum + count(one), 0);
}

async function countRecords(store: Store, customer: Customer, platform: PlatformName): Promise<EntityCounts> {
  const rows = await store.query<{ entity_type: StoredEntityType; count: number }>(
    `select entity_type, count(*)::int as count from platform_records
     where customer_id = $1 and platform = $2 group by entity_type`,
    [customer.id, platform],
  );
  const counts: EntityCounts = { projects: 0, customers: 0, contracts: 0, invoices: 0, payments: 0 };
  for (const { entity_type, count } of rows) counts[plurals[entity_type]] = count;
  return counts;
}

async function saveConnection(
  store: Store,
  customer: Customer,
  platform: PlatformName,
  currency: string,
  entities: EntityCounts,
): Promise<void> {
  const total = Object.values(entities).reduce((sum, count) => sum + count, 0);
  await store.query(
    `insert into connections (customer_id, platform, connected_at, synced_at, entities_synced, currency)
     values ($1, $2, now(), now(), $3, $4)
     on conflict (customer_id, platform)
     do update set synced_at = now(), entities_synced = excluded.entities_synced, currency = excluded.currency`,
    [customer.id, platform, total, currency],
  );
}
