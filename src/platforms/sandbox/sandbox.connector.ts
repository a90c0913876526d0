import { Injectable } from '@nestjs/common';
import {
  isJsonObject,
  parseJsonText,
  sameJson,
  stringifyJson,
  valueAt,
  type JsonObject,
  type NativeChange,
} from '@app/mapper';
import { behaviourOf, forecastAt, occasionAt, type Occasion } from '@app/behaviour';
import { Clock } from '../../runtime/clock/clock';
import type { Store } from '../../database/transaction/store';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import {
  Connector,
  type Attempt,
  type Checkpoint,
  type Connection,
  type LocalWrites,
  type LockedWrites,
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
import { idOf, portfolioOf } from './portfolio';
import {
  SandboxRecordsRepository,
  type SandboxRecord,
  type WrittenRecord,
} from './sandbox-records.repository';

/** Records of one page. */
const PAGE = 500;

/**
 * A platform inside the service. Every customer has one of each to itself: the sample portfolio, and over it the
 * records that the customer changed or created. It answers at once and refuses nothing.
 */
@Injectable()
export class SandboxConnector extends Connector {
  override readonly local: LocalWrites = {
    lock: (store, commands) => this.lock(store, commands),
  };

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly records: SandboxRecordsRepository,
  ) {
    super();
  }

  override describe({ platform }: Connection): Promise<PlatformFacts> {
    return Promise.resolve({ currency: behaviourOf(platform).currency });
  }

  /** The first page has the sample records as they are by now; the following ones have the created records. */
  override async *read(
    connection: Connection,
    { entityType }: ReadScope,
    from: Checkpoint | null,
  ): AsyncIterable<RecordPage> {
    const { customerId, platform } = connection;
    const samples = portfolioOf(platform, entityType);
    let after = typeof from === 'string' ? from : '';
    if (from === null && samples.size > 0) {
      const changed = await this.unitOfWork.runFor(customerId, (tx) =>
        this.records.list(tx, { platform, entityType }, [...samples.keys()]),
      );
      const rows = new Map(changed.map((row) => [row.platformId, row]));
      const records = [...samples].map(([id, sample]) => recordFrom(entityType, rows.get(id) ?? sample));
      yield { records, next: '' };
    }
    for (;;) {
      const position = after;
      const rows = await this.unitOfWork.runFor(customerId, (tx) =>
        this.records.after(tx, { platform, entityType }, position, PAGE),
      );
      const last = rows.length < PAGE;
      after = rows.at(-1)?.platformId ?? after;
      const created = rows.filter(({ platformId }) => !samples.has(platformId));
      yield {
        records: created.map((row) => recordFrom(entityType, row)),
        next: last ? null : after,
        ...(last && { complete: true }),
      };
      if (last) return;
    }
  }

  override async get(
    { customerId, platform }: Connection,
    { entityType, platformId }: RecordRef,
  ): Promise<SourceRecord | undefined> {
    const row = await this.unitOfWork.runFor(customerId, (tx) =>
      this.records.find(tx, { platform, entityType }, { platformId }),
    );
    const found = row ?? portfolioOf(platform, entityType).get(platformId);
    return found && recordFrom(entityType, found);
  }

  override predict(command: WriteCommand, current: JsonObject | undefined): Prediction {
    const reason = lockOn(command, current);
    if (reason !== undefined) return { status: 'rejected', reason, isLock: true };
    const payload = written(command, current, forecastAt(this.clock.now()));
    const isNew = ({ path }: NativeChange): boolean =>
      current === undefined || !sameJson(valueAt(payload, path) ?? null, valueAt(current, path) ?? null);
    return { status: 'applied', payload, sends: command.changes.filter(isNew) };
  }

  override submit({ customerId }: Connection, command: WriteCommand): Promise<WriteOutcome> {
    return this.unitOfWork.runFor(customerId, async (tx) => {
      const { platformId, id } = command;
      const row = await this.records.lock(tx, command, platformId, id);
      const { outcome, record } = this.write(command, row);
      if (record !== undefined) this.records.save(tx, [record]);
      return outcome;
    });
  }

  override async settle(
    _connection: Connection,
    command: WriteCommand,
    attempt: Attempt,
  ): Promise<Settlement> {
    const row = await this.unitOfWork.runFor(command.customerId, (tx) =>
      this.records.find(tx, command, { commandId: command.id }),
    );
    // A write that changed nothing left no trace, and may come again.
    return row === null || row.payloadText === textOf(attempt.before)
      ? { status: 'not_applied' }
      : { status: 'applied', payload: payloadOf(row) };
  }

  private async lock(store: Store, commands: readonly WriteCommand[]): Promise<LockedWrites> {
    const rows = new Map<string, SandboxRecord>();
    const known = commands.flatMap(({ platform, platformId }) =>
      platformId === null ? [] : [{ platform, platformId }],
    );
    const [first] = commands;
    if (first !== undefined && known.length > 0) {
      const tx = store.forCustomer(first.customerId);
      for (const row of await this.records.lockAll(tx, first.entityType, known)) {
        rows.set(`${row.platform} ${row.platformId}`, row);
      }
    }
    const made: WrittenRecord[] = [];
    return {
      apply: (command) => {
        const row = rows.get(`${command.platform} ${command.platformId ?? ''}`);
        const { outcome, record } = this.write(command, row);
        if (record !== undefined) made.push(record);
        return outcome;
      },
      save: () => {
        if (first !== undefined) this.records.save(store.forCustomer(first.customerId), made);
      },
    };
  }

  /**
   * What a write makes of a record.
   *
   * @param row the locked record, where it was changed before or written by this command
   * @returns the outcome, and the record to store unless it stays as it is
   */
  private write(
    command: WriteCommand,
    row: SandboxRecord | undefined,
  ): { readonly outcome: WriteOutcome; readonly record?: WrittenRecord } {
    const { platform, entityType, variant, platformId, id } = command;
    if (row?.commandId === id) return { outcome: { status: 'applied', payload: payloadOf(row) } };
    const sample = platformId === null ? undefined : portfolioOf(platform, entityType).get(platformId);
    const current = row === undefined ? sample?.payload : payloadOf(row);
    if (platformId !== null && current === undefined) {
      const reason = `${platform} has no ${entityType} with ID ${platformId}`;
      return { outcome: { status: 'rejected', reason } };
    }
    const reason = lockOn(command, current);
    if (reason !== undefined) return { outcome: { status: 'rejected', reason } };
    const payload = written(command, current, occasionAt(this.clock.now()));
    const outcome: WriteOutcome = { status: 'applied', payload };
    if (payload === current) return { outcome };
    return {
      outcome,
      record: {
        platform,
        entityType,
        platformId: platformId ?? idOf(platform, { entityType, variant, payload }),
        variant,
        payloadText: stringifyJson(payload),
        commandId: id,
      },
    };
  }
}

function lockOn(
  { platform, entityType, variant, changes, referred }: WriteCommand,
  current: JsonObject | undefined,
): string | undefined {
  return behaviourOf(platform).lockOn?.({ entityType, variant, current, changes, referred });
}

function written(command: WriteCommand, current: JsonObject | undefined, occasion: Occasion): JsonObject {
  const { platform, entityType, variant, changes, referred } = command;
  return behaviourOf(platform).write({ entityType, variant, current, changes, referred }, occasion);
}

function recordFrom(
  entityType: SourceRecord['entityType'],
  found: SandboxRecord | Pick<SourceRecord, 'variant' | 'payload'>,
): SourceRecord {
  return {
    entityType,
    variant: found.variant,
    payload: 'payloadText' in found ? payloadOf(found) : found.payload,
  };
}

function payloadOf({ payloadText }: SandboxRecord): JsonObject {
  const value = parseJsonText(payloadText);
  if (!isJsonObject(value)) throw new Error('A record of a sandbox is no JSON object');
  return value;
}

function textOf(payload: JsonObject | undefined): string | undefined {
  return payload && stringifyJson(payload);
}
