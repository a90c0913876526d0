import { setTimeout as sleep } from 'node:timers/promises';
import {
  isJsonArray,
  sameJson,
  stringifyJson,
  valueAt,
  type JsonObject,
  type JsonValue,
  type PlatformName,
  type StoredEntityType,
} from '@app/mapper';
import { behaviourOf, forecastAt, occasionAt } from '@app/behaviour';
import {
  Connector,
  RetryLater,
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

/** The faults of a call. `die` is the end of the instance that makes the call. */
export const faults = [
  'none',
  'put off',
  'refuse',
  'fail before',
  'die before',
  'die prepared',
  'die after',
  'lose request',
  'lose answer',
  'foreign edit before',
  'foreign edit after',
  'fail to look',
  'die looking',
] as const;

export type Fault = (typeof faults)[number];

/** Milliseconds after which every reader sees a write. */
const LAG = 30;

/** Native fields that users of the platform edit in payments. */
const foreignFields: Readonly<Partial<Record<PlatformName, readonly string[]>>> = {
  platform_a: ['notes', 'check_number'],
  platform_b: ['comment', 'externalDocumentNumber'],
};

/**
 * A platform without our IDs, which applies a write as often as it arrives. It shows writes late, loses requests and
 * answers, and other users edit its records. Its connector knows of a write only what it can read.
 */
export class UnreliablePlatform extends Connector {
  /** The faults of the next calls. Calls after the last fault succeed. */
  readonly faults: Fault[] = [];
  /** The command of each effect, in order. */
  readonly effects: string[] = [];
  /** Values of other users that a command overwrote, and when the service had read each; undefined for never. */
  readonly overwritten: { readonly commandId: string; readonly seen: number | undefined }[] = [];
  private readonly records = new Map<string, SourceRecord>();
  private readonly earlier = new Map<string, { until: number; record: SourceRecord | undefined }>();
  private readonly foreign = new Map<string, number | undefined>();
  private edits = 0;

  constructor(
    private readonly platform: PlatformName,
    /** Ends the instance that works on a command. Another instance then takes its lease. */
    private readonly die: (commandId: string) => Promise<void>,
    private readonly now: () => number,
  ) {
    super();
    for (const record of behaviourOf(platform).portfolio()) this.records.set(keyOf(record), record);
  }

  payloads(entityType: StoredEntityType): readonly JsonObject[] {
    return [...this.records.values()]
      .filter((one) => one.entityType === entityType)
      .map(({ payload }) => payload);
  }

  /** Edits a payment as a user of the platform does. */
  edit(platformId: string): void {
    const record = this.records.get(`payment ${platformId}`);
    if (record === undefined) return;
    this.edits += 1;
    const [text, key] = foreignFields[this.platform] ?? [];
    const field = this.edits % 3 === 0 ? key : text;
    const value = `THEIRS-${this.platform.slice(-1)}${this.edits}`.toUpperCase();
    this.foreign.set(value, undefined);
    this.put({ ...record, payload: this.written(record, [{ path: [field ?? ''], value }]) });
  }

  override describe(): Promise<PlatformFacts> {
    return Promise.resolve({ currency: behaviourOf(this.platform).currency });
  }

  override async *read(_connection: Connection, { entityType }: ReadScope): AsyncIterable<RecordPage> {
    await sleep(1);
    const records = [...this.records.values()].filter((record) => record.entityType === entityType);
    for (const { payload } of records) this.show(payload);
    yield { records, next: null, complete: true };
  }

  override get(_connection: Connection, ref: RecordRef): Promise<SourceRecord | undefined> {
    return Promise.resolve(this.records.get(`${ref.entityType} ${ref.platformId}`));
  }

  override predict(
    { entityType, variant, changes, referred }: WriteCommand,
    current?: JsonObject,
  ): Prediction {
    const write = { entityType, variant, current, changes, referred };
    return { status: 'applied', payload: behaviourOf(this.platform).write(write, forecastAt(new Date())) };
  }

  /** The IDs that exist before a create. */
  override async prepare(
    _connection: Connection,
    { id, entityType, platformId }: WriteCommand,
  ): Promise<JsonValue> {
    const [fault] = this.faults;
    if (fault === 'fail before') {
      this.faults.shift();
      throw new Error('the platform does not answer');
    }
    if (fault === 'put off') {
      this.faults.shift();
      throw new RetryLater(new Date(Date.now() + 20), 'a limit');
    }
    if (fault === 'die before') {
      this.faults.shift();
      await this.die(id);
    }
    return platformId === null ? this.payloads(entityType).map(({ id: known }) => known ?? null) : null;
  }

  override async submit(
    _connection: Connection,
    command: WriteCommand,
    _signal: AbortSignal,
    attempt?: Attempt,
  ): Promise<WriteOutcome> {
    const fault = this.faults.shift() ?? 'none';
    if (fault === 'refuse') return { status: 'rejected', reason: 'the period is closed' };
    if (fault === 'put off') return { status: 'deferred', until: new Date(Date.now() + 20) };
    if (fault === 'lose request') return { status: 'uncertain' };
    if (fault === 'die prepared') {
      await this.die(command.id);
      return { status: 'uncertain' };
    }
    if (fault === 'foreign edit before') this.edit(command.platformId ?? '');
    const { platformId } = command;
    const record = platformId === null ? undefined : this.records.get(`${command.entityType} ${platformId}`);
    if (record !== undefined && this.wasChanged(record, command, attempt)) {
      this.show(record.payload);
      return { status: 'conflict', current: record.payload };
    }
    const payload = this.take(command, record);
    if (fault === 'foreign edit after') this.edit(command.platformId ?? '');
    if (fault === 'lose answer' || fault === 'foreign edit after') return { status: 'uncertain' };
    if (fault === 'die after') await this.die(command.id);
    else this.show(payload);
    return { status: 'applied', payload };
  }

  override async settle(
    _connection: Connection,
    command: WriteCommand,
    attempt: Attempt,
  ): Promise<Settlement> {
    const fault = this.faults[0];
    if (fault === 'fail to look') {
      this.faults.shift();
      throw new Error('the platform does not answer');
    }
    if (fault === 'die looking') {
      this.faults.shift();
      await this.die(command.id);
    }
    const isEarly = Date.now() - (attempt.endedAt ?? attempt.startedAt).getTime() < 2 * LAG;
    const found =
      command.platformId === null ? this.created(command, attempt) : this.changed(command, attempt);
    return found.status === 'not_applied' && isEarly
      ? { status: 'uncertain', until: new Date(Date.now() + LAG) }
      : found;
  }

  private created({ entityType, changes }: WriteCommand, { notes }: Attempt): Settlement {
    // Notes are stored before anything is sent.
    if (notes === undefined) return { status: 'not_applied' };
    const known = new Set(isJsonArray(notes) ? notes.map((id) => stringifyJson(id)) : []);
    const found = this.payloads(entityType).filter(
      (payload) =>
        !known.has(stringifyJson(payload.id)) &&
        changes.every(({ path, value }) => alike(valueAt(this.seen(entityType, payload) ?? {}, path), value)),
    );
    const [payload, ...others] = found;
    if (payload === undefined) return { status: 'not_applied' };
    if (others.length > 0) return { status: 'held', reason: 'several records could be it' };
    this.show(payload);
    return { status: 'applied', payload };
  }

  private changed(
    { entityType, platformId, changes, ifMatch }: WriteCommand,
    { before = {} }: Attempt,
  ): Settlement {
    const record = this.records.get(`${entityType} ${platformId}`);
    const payload = record && this.seen(entityType, record.payload);
    if (payload === undefined) return { status: 'held', reason: 'the record is gone' };
    const isOurs = changes.every(({ path, value }) => alike(valueAt(payload, path), value));
    if (isOurs && (ifMatch === null || payload['@odata.etag'] !== ifMatch)) {
      this.show(payload);
      return { status: 'applied', payload };
    }
    const isAsBefore = changes.every(({ path }) => sameJson(valueAt(payload, path), valueAt(before, path)));
    return isAsBefore
      ? { status: 'not_applied' }
      : { status: 'held', reason: 'another user has changed the same fields' };
  }

  // The record as a read shows it, without a write that is too recent.
  private seen(entityType: StoredEntityType, payload: JsonObject): JsonObject | undefined {
    const late = this.earlier.get(keyOf({ entityType, payload }));
    return late !== undefined && late.until > Date.now() ? late.record?.payload : payload;
  }

  private wasChanged(record: SourceRecord, command: WriteCommand, attempt: Attempt | undefined): boolean {
    if (command.ifMatch !== null) return record.payload['@odata.etag'] !== command.ifMatch;
    const before = attempt?.before ?? {};
    return command.changes.some(
      ({ path }) => !sameJson(valueAt(record.payload, path), valueAt(before, path)),
    );
  }

  private take(command: WriteCommand, record: SourceRecord | undefined): JsonObject {
    const { id, entityType, variant, changes, referred } = command;
    const current = record?.payload;
    const occasion = occasionAt(new Date());
    const payload = behaviourOf(this.platform).write(
      { entityType, variant, current, changes, referred },
      occasion,
    );
    if (payload === current) return payload;
    for (const { path } of changes) {
      const value = current && valueAt(current, path);
      if (typeof value === 'string' && this.foreign.has(value)) {
        this.overwritten.push({ commandId: id, seen: this.foreign.get(value) });
      }
    }
    this.effects.push(id);
    this.put({ entityType, variant, payload });
    return payload;
  }

  private put(record: SourceRecord): void {
    const key = keyOf(record);
    this.earlier.set(key, { until: Date.now() + LAG, record: this.records.get(key) });
    this.records.set(key, record);
  }

  // The service reads the values that other users have written.
  private show(payload: JsonObject): void {
    for (const value of Object.values(payload)) {
      if (typeof value === 'string' && this.foreign.has(value) && this.foreign.get(value) === undefined) {
        this.foreign.set(value, this.now());
      }
    }
  }

  private written(
    { entityType, variant, payload }: SourceRecord,
    changes: WriteCommand['changes'],
  ): JsonObject {
    const write = { entityType, variant, current: payload, changes, referred: {} };
    return behaviourOf(this.platform).write(write, occasionAt(new Date()));
  }
}

function keyOf({ entityType, payload: { id } }: Pick<SourceRecord, 'entityType' | 'payload'>): string {
  if (typeof id !== 'string' && typeof id !== 'number') throw new Error('A record has no ID');
  return `${entityType} ${id}`;
}

// Platforms store codes in upper case, and numbers in any form.
function alike(one: JsonValue | undefined, other: JsonValue): boolean {
  if (one === undefined) return false;
  const text = (value: JsonValue): string =>
    (typeof value === 'string' ? value : stringifyJson(value)).trim();
  return text(one).toUpperCase() === text(other).toUpperCase();
}
