import { setTimeout as sleep } from 'node:timers/promises';
import { isJsonObject, type JsonObject, type PlatformName, type StoredEntityType } from '@app/mapper';
import { behaviourOf, forecastAt, occasionAt } from '@app/behaviour';
import {
  Connector,
  type Attempt,
  type Connection,
  type RecordPage,
  type PlatformFacts,
  type Prediction,
  type ReadScope,
  type RecordRef,
  type Settlement,
  type SourceRecord,
  type WriteCommand,
  type WriteOutcome,
} from '../../../src/platforms/connector';

/**
 * What a platform does with the next write: it accepts the write, or answers with something else, perhaps after it
 * applied the write.
 */
export type Reaction =
  | 'take'
  | 'take and be silent'
  | 'be silent'
  | { readonly reject: string }
  | { readonly deferFor: number }
  | ((command: WriteCommand, platform: FarPlatform) => Promise<WriteOutcome>);

/** Accepts a write once something has happened. */
export function takeAfter(happened: Promise<void>): Reaction {
  return async (command, platform) => {
    await happened;
    return { status: 'applied', payload: platform.take(command) };
  };
}

/** A remote platform: it has its own records, answers late, and does not always answer. */
export class FarPlatform extends Connector {
  /** Commands that took effect, in order. A command that occurs twice was written twice. */
  readonly effects: string[] = [];
  readonly submitted: WriteCommand[] = [];
  readonly settled: string[] = [];
  /** Reactions to the next writes. Later writes are accepted. */
  readonly reactions: Reaction[] = [];
  /** Delay of each answer in milliseconds. */
  delay = 0;
  private readonly records = new Map<string, SourceRecord>();
  private readonly outcomes = new Map<string, JsonObject>();

  constructor(
    private readonly platform: PlatformName,
    records: readonly SourceRecord[],
  ) {
    super();
    for (const record of records) this.records.set(keyOf(record.entityType, idOf(record.payload)), record);
  }

  /** The present record on the platform. */
  payload(entityType: StoredEntityType, platformId: string): JsonObject | undefined {
    return this.records.get(keyOf(entityType, platformId))?.payload;
  }

  /** Changes a record as a user of the platform does. */
  change(entityType: StoredEntityType, platformId: string, fields: JsonObject): void {
    const record = this.records.get(keyOf(entityType, platformId));
    if (record === undefined) throw new Error(`There is no ${entityType} ${platformId}`);
    this.records.set(keyOf(entityType, platformId), { ...record, payload: { ...record.payload, ...fields } });
  }

  /** Enters a record as a user of the platform does. */
  put(record: SourceRecord): void {
    this.records.set(keyOf(record.entityType, idOf(record.payload)), record);
  }

  /** Deletes a record as a user of the platform does. */
  remove(entityType: StoredEntityType, platformId: string): void {
    this.records.delete(keyOf(entityType, platformId));
  }

  /** Applies a write. A command that arrives several times is applied once. */
  take(command: WriteCommand): JsonObject {
    const before = this.outcomes.get(command.id);
    if (before !== undefined) return before;
    const { entityType, variant, platformId } = command;
    const current = platformId === null ? undefined : this.payload(entityType, platformId);
    const payload = this.written(command, current, false);
    this.records.set(keyOf(entityType, idOf(payload)), { entityType, variant, payload });
    this.outcomes.set(command.id, payload);
    this.effects.push(command.id);
    return payload;
  }

  override describe(): Promise<PlatformFacts> {
    return Promise.resolve({ currency: behaviourOf(this.platform).currency });
  }

  override async *read(_connection: Connection, { entityType }: ReadScope): AsyncIterable<RecordPage> {
    await Promise.resolve();
    const records = [...this.records.values()].filter((record) => record.entityType === entityType);
    yield { records, next: null, complete: true };
  }

  override get(
    _connection: Connection,
    { entityType, platformId }: RecordRef,
  ): Promise<SourceRecord | undefined> {
    return Promise.resolve(this.records.get(keyOf(entityType, platformId)));
  }

  override predict(command: WriteCommand, current: JsonObject | undefined): Prediction {
    return { status: 'applied', payload: this.written(command, current, true) };
  }

  override async submit(
    _connection: Connection,
    command: WriteCommand,
    signal: AbortSignal,
  ): Promise<WriteOutcome> {
    this.submitted.push(command);
    const reaction = this.reactions.shift() ?? 'take';
    if (this.delay > 0) await sleep(this.delay, undefined, { signal }).catch(() => undefined);
    if (typeof reaction === 'function') return reaction(command, this);
    if (reaction === 'be silent') return { status: 'uncertain' };
    if (typeof reaction === 'object' && 'reject' in reaction)
      return { status: 'rejected', reason: reaction.reject };
    if (typeof reaction === 'object') {
      return { status: 'deferred', until: new Date(Date.now() + reaction.deferFor) };
    }
    const payload = this.take(command);
    return reaction === 'take' ? { status: 'applied', payload } : { status: 'uncertain' };
  }

  override settle(_connection: Connection, command: WriteCommand, _attempt?: Attempt): Promise<Settlement> {
    this.settled.push(command.id);
    const payload = this.outcomes.get(command.id);
    return Promise.resolve(
      payload === undefined ? { status: 'not_applied' } : { status: 'applied', payload },
    );
  }

  private written(command: WriteCommand, current: JsonObject | undefined, forecast: boolean): JsonObject {
    const { platform, entityType, variant, changes, referred } = command;
    const occasion = forecast ? forecastAt(new Date()) : occasionAt(new Date());
    return behaviourOf(platform).write({ entityType, variant, current, changes, referred }, occasion);
  }
}

/** The sample portfolio of a platform, as records of a remote platform. */
export function portfolioRecords(platform: PlatformName): readonly SourceRecord[] {
  return behaviourOf(platform).portfolio();
}

function keyOf(entityType: StoredEntityType, platformId: string): string {
  return `${entityType} ${platformId}`;
}

function idOf(payload: JsonObject): string {
  if (!isJsonObject(payload) || (typeof payload.id !== 'string' && typeof payload.id !== 'number')) {
    throw new Error('A record has no ID');
  }
  return String(payload.id);
}
