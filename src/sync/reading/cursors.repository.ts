import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { parseJsonText, stringifyJson, type StoredEntityType } from '@app/mapper';
import { SyncCursorRow } from '../../database/entities/sync-cursor.entity';
import type { Checkpoint, ConnectionName } from '../../platforms/connector';
import type { CustomerTransaction } from '../../database/transaction/store';
import type { Progress } from '../run/checkpoints.repository';
import type { ClaimedRun } from '../run/run';

/** What the last reading of a scope has covered. */
export interface KnownCursor {
  readonly position: Checkpoint;
  /**
   * Whether a reading of changes may begin there. Otherwise the scope is read whole. The connector still gets the cursor,
   * because a part of the platform that it covered, such as a project, may exist although the connector no longer sees it.
   */
  readonly beginsChanges: boolean;
}

/** The cursor of each scope that has one. */
export type Cursors = ReadonlyMap<StoredEntityType, KnownCursor>;

/** The table of cursors: from where the next run of a connection reads the changes of a scope. */
@Injectable()
export class CursorsRepository {
  constructor(@InjectRepository(SyncCursorRow) private readonly rows: Repository<SyncCursorRow>) {}

  /**
   * The cursors of a connection for a run: those of its mode. A reading of changes begins only at a cursor of the settings
   * that the run reads with. Other settings lead to the same company, because cursors of another company are deleted.
   */
  async ofRun(tx: CustomerTransaction, { connection: { platform }, id }: ClaimedRun): Promise<Cursors> {
    const rows = await tx.query<CursorRow>(
      `select c.scope, c.position::text as position,
         r.settings_changed_at is not distinct from c.settings_changed_at as begins_changes
       from sync_cursors c
       join sync_runs r on r.customer_id = $1 and r.id = $3 and r.mode = c.mode
       where c.customer_id = $1 and c.platform = $2`,
      [platform, id],
    );
    return parsed(rows);
  }

  /** The cursors of a connection for the next run with its present settings. */
  async current(tx: CustomerTransaction, { platform }: ConnectionName): Promise<Cursors> {
    const rows = await tx.query<CursorRow>(
      `select c.scope, c.position::text as position,
         c.settings_changed_at is not distinct from l.changed_at as begins_changes
       from sync_cursors c
       left join live_connections l on l.customer_id = c.customer_id and l.platform = c.platform
       where c.customer_id = $1 and c.platform = $2
         and c.mode = case when l.platform is null then 'sandbox' else 'live' end`,
      [platform],
    );
    return parsed(rows);
  }

  /**
   * Stores where the next run starts to read changes: the cursor of each scope that was read to its end, or up to gaps
   * that the platform's connector names. Any other scope keeps the cursor at which its reading began. So does a scope
   * with a record that was read and could not be stored yet, because it must be read again. If such a scope was read
   * whole, the next reading of it is whole too, and gets the cursor of this one as {@link KnownCursor.position}.
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
    const next = [...seen].flatMap(([scope, { since, cursor, complete, gaps }]) => {
      const isEnded = complete === true || gaps.length > 0;
      const isReached = isEnded && !unsettled.has(scope);
      const position = isReached || (isEnded && since === null) ? cursor : since;
      const beginsChanges = isReached || since !== null;
      // A sandbox has no settings, and its connector always sees all of it.
      const isOfUse = beginsChanges || connection.mode === 'live';
      return position === null || !isOfUse
        ? []
        : [{ scope, position: stringifyJson(position), beginsChanges }];
    });
    if (next.length === 0) return;
    await tx.query(
      `insert into sync_cursors (customer_id, platform, scope, mode, settings_changed_at, position)
       select $1, $2, next.scope, r.mode, case when next.begins_changes then r.settings_changed_at end, next.position::json
       from sync_runs r, unnest($4::text[], $5::text[], $6::boolean[]) as next (scope, position, begins_changes)
       where r.customer_id = $1 and r.id = $3`,
      [
        connection.platform,
        id,
        next.map(({ scope }) => scope),
        next.map(({ position }) => position),
        next.map(({ beginsChanges }) => beginsChanges),
      ],
    );
  }

  /** Deletes the cursors of a connection, for instance when the records that were read of it are removed. */
  async delete(tx: CustomerTransaction, { platform }: ConnectionName): Promise<void> {
    await tx.store.manager.withRepository(this.rows).delete({ customerId: tx.customerId, platform });
  }
}

interface CursorRow {
  readonly scope: StoredEntityType;
  readonly position: string;
  readonly begins_changes: boolean;
}

function parsed(rows: readonly CursorRow[]): Cursors {
  return new Map(
    rows.map(({ scope, position, begins_changes: beginsChanges }) => [
      scope,
      { position: parseJsonText(position), beginsChanges },
    ]),
  );
}
