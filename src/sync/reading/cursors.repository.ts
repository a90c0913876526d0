import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { parseJsonText, stringifyJson, type StoredEntityType } from '@app/mapper';
import { SyncCursorRow } from '../../database/entities/sync-cursor.entity';
import type { Checkpoint, ConnectionName } from '../../platforms/connector';
import type { CustomerTransaction } from '../../database/transaction/store';
import type { Progress } from './checkpoints.repository';
import type { ClaimedRun } from '../run/run';

/** The cursor of each scope that has one. */
export type Cursors = ReadonlyMap<StoredEntityType, Checkpoint>;

/** The table of cursors: from where the next run of a connection reads the changes of a scope. */
@Injectable()
export class CursorsRepository {
  constructor(@InjectRepository(SyncCursorRow) private readonly rows: Repository<SyncCursorRow>) {}

  /**
   * The cursors of a connection that are valid for a run: those of its mode and of the settings that it reads with. A
   * reading of another company says nothing about this one.
   */
  async ofRun(tx: CustomerTransaction, { connection: { platform }, id }: ClaimedRun): Promise<Cursors> {
    const rows = await tx.query<CursorText>(
      `select c.scope, c.position::text as position from sync_cursors c
       join sync_runs r on r.customer_id = $1 and r.id = $3
         and r.mode = c.mode and r.settings_changed_at is not distinct from c.settings_changed_at
       where c.customer_id = $1 and c.platform = $2`,
      [platform, id],
    );
    return parsed(rows);
  }

  /** The cursors from which the next run of a connection would read with its present settings. */
  async current(tx: CustomerTransaction, { platform }: ConnectionName): Promise<Cursors> {
    const rows = await tx.query<CursorText>(
      `select c.scope, c.position::text as position from sync_cursors c
       left join live_connections l on l.customer_id = c.customer_id and l.platform = c.platform
       where c.customer_id = $1 and c.platform = $2 and c.settings_changed_at is not distinct from l.changed_at
         and c.mode = case when l.platform is null then 'sandbox' else 'live' end`,
      [platform],
    );
    return parsed(rows);
  }

  /**
   * Stores where the next run starts to read changes: the cursor of each scope that was read to its end, or up to gaps
   * that the platform's connector names. Any other scope keeps the cursor at which its reading began. So does a scope
   * with a record that was read and could not be stored yet, because it must be read again.
   *
   * @param unsettled scopes with such records
   */
  async save(
    tx: CustomerTransaction,
    { connection, id }: ClaimedRun,
    seen: ReadonlyMap<StoredEntityType, Progress>,
    unsettled: ReadonlySet<StoredEntityType>,
  ): Promise<void> {
    await this.delete(tx, connection);
    const next = [...seen].flatMap(([scope, progress]) => {
      const reached = !unsettled.has(scope) && (progress.complete === true || progress.gaps.length > 0);
      const cursor = reached ? progress.cursor : progress.since;
      return cursor === null ? [] : [{ scope, position: stringifyJson(cursor) }];
    });
    if (next.length === 0) return;
    await tx.query(
      `insert into sync_cursors (customer_id, platform, scope, mode, settings_changed_at, position)
       select $1, $2, next.scope, r.mode, r.settings_changed_at, next.position::json
       from sync_runs r, unnest($4::text[], $5::text[]) as next (scope, position)
       where r.customer_id = $1 and r.id = $3`,
      [connection.platform, id, next.map(({ scope }) => scope), next.map(({ position }) => position)],
    );
  }

  /** Deletes the cursors of a connection, for instance when the records that were read of it are removed. */
  async delete(tx: CustomerTransaction, { platform }: ConnectionName): Promise<void> {
    await tx.store.manager.withRepository(this.rows).delete({ customerId: tx.customerId, platform });
  }
}

interface CursorText {
  readonly scope: StoredEntityType;
  readonly position: string;
}

function parsed(rows: readonly CursorText[]): Cursors {
  return new Map(rows.map(({ scope, position }) => [scope, parseJsonText(position)]));
}
