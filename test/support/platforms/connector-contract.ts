import { randomUUID } from 'node:crypto';
import { stringifyJson, type JsonObject, type StoredEntityType } from '@app/mapper';
import type {
  Checkpoint,
  Connection,
  Connector,
  RecordPage,
  SourceRecord,
  WriteCommand,
} from '../../../src/platforms/connector';
import { never } from '../this-process/never';

/** A connector that the contract tests check, with a record that may be written. */
export interface Subject {
  readonly connector: Connector;
  readonly connection: Connection;
  readonly entityType: StoredEntityType;
  readonly variant: string | null;
  readonly platformId: string;
  /** A native text field from which no other field follows, and the fields that the platform sets itself. */
  readonly field: string;
  readonly generated: readonly string[];
}

/** The tests that every connector must pass, whatever its platform. */
export function keepsTheContract(subject: () => Subject): void {
  const command = (value: string): WriteCommand => {
    const { connection, entityType, variant, platformId, field } = subject();
    return {
      id: randomUUID(),
      ...connection,
      entityType,
      variant,
      platformId,
      ifMatch: null,
      changes: [{ path: [field], value }],
      referred: {},
    };
  };
  const current = async (): Promise<JsonObject> => {
    const { connector, connection, entityType, variant, platformId } = subject();
    const found = await connector.get(connection, { entityType, variant, platformId }, never);
    if (found === undefined) throw new Error('The record is not there');
    return found.payload;
  };
  const submit = (write: WriteCommand) => subject().connector.submit(subject().connection, write, never);
  const pages = async (from: Checkpoint | null): Promise<RecordPage[]> => {
    const { connector, connection, entityType } = subject();
    const read: RecordPage[] = [];
    for await (const page of connector.read(connection, { entityType }, from, never)) read.push(page);
    return read;
  };
  const texts = (read: readonly RecordPage[]): string[] =>
    read.flatMap(({ records }) => records.map((record: SourceRecord) => stringifyJson(record.payload)));

  it('names the currency of what names none', async () => {
    const { connector, connection } = subject();
    expect((await connector.describe(connection)).currency).toMatch(/^[A-Z]{3}$/);
  });

  it('reads a scope whole, and goes on from every checkpoint', async () => {
    await submit(command('read'));
    const whole = await pages(null);
    expect(whole.at(-1)).toMatchObject({ next: null, complete: true });
    expect(texts(whole)).toContain(stringifyJson(await current()));
    for (const [at, { next }] of whole.entries()) {
      if (next !== null) expect(texts(await pages(next))).toEqual(texts(whole.slice(at + 1)));
    }
  });

  it('finds nothing under an ID that is not there', async () => {
    const { connector, connection, entityType, variant } = subject();
    expect(
      await connector.get(connection, { entityType, variant, platformId: '999999' }, never),
    ).toBeUndefined();
  });

  it('makes the record that it predicted, except for fields that it sets itself', async () => {
    const { connector, generated } = subject();
    const write = command('predicted');
    const prediction = connector.predict(write, await current());
    const outcome = await submit(write);
    const own = (payload: JsonObject) =>
      Object.fromEntries(Object.entries(payload).filter(([member]) => !generated.includes(member)));
    if (prediction.status !== 'applied' || outcome.status !== 'applied')
      throw new Error('It was not applied');
    expect(own(outcome.payload)).toEqual(own(prediction.payload));
    expect(await current()).toEqual(outcome.payload);
  });

  it('does nothing when a command comes again', async () => {
    const write = command('once');
    const outcome = await submit(write);
    expect(await submit(write)).toEqual(outcome);
  });

  it('settles applied writes and writes that were not applied', async () => {
    const { connector, connection } = subject();
    const before = await current();
    // Long enough after the attempt that the platform shows every write.
    const now = new Date();
    const attempt = { startedAt: now, endedAt: now, before, now: new Date(now.getTime() + 600_000) };
    const write = command('settled');
    expect(await connector.settle(connection, write, attempt, never)).toEqual({ status: 'not_applied' });
    const outcome = await submit(write);
    expect(await connector.settle(connection, write, attempt, never)).toEqual(outcome);
  });
}
