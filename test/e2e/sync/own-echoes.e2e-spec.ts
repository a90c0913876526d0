import { setTimeout as sleep } from 'node:timers/promises';
import type {
  Checkpoint,
  Connection,
  RecordPage,
  ReadScope,
  Settlement,
  WriteCommand,
} from '../../../src/platforms/connector';
import { Dispatcher } from '../../../src/outbox/dispatch/dispatcher';
import { PropagateWait } from '../../../src/propagate/propagate.service';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { FarPlatform, portfolioRecords } from '../../support/platforms/far-platform';
import { FeedReader } from '../../support/customers/feed';
import { GivenRecords } from '../../support/platforms/given-records';
import { latch } from '../../support/this-process/latch';
import { connect, listed } from '../../support/customers/listings';
import { makeLive } from '../../support/live/live-connections';
import { untilPutOff } from '../../support/live/put-off';
import { StoredRecords } from '../../support/database/stored-records';
import { ON_B } from '../../support/customers/portfolio';

jest.setTimeout(60_000);

const HOUR = 3_600_000;
/** How long a change waits for what becomes of it, in milliseconds. */
const LONG = 30_000;

/** A platform that a test can hold at its payments, or at a look for a write. It numbers its readings by cursors. */
class HeldPlatform extends FarPlatform {
  readonly since: (Checkpoint | null)[] = [];
  /** What each reading was told that the one before it had covered. */
  readonly covered: (Checkpoint | null)[] = [];
  beforePayments: () => Promise<void> = () => Promise.resolve();
  beforeSettle: () => Promise<void> = () => Promise.resolve();

  override async *read(connection: Connection, scope: ReadScope): AsyncIterable<RecordPage> {
    for await (const page of super.read(connection, scope)) {
      if (scope.entityType === 'payment') {
        this.since.push(scope.since ?? null);
        this.covered.push(scope.before ?? null);
        await this.beforePayments();
      }
      yield { ...page, cursor: this.since.length };
    }
  }

  override async settle(connection: Connection, command: WriteCommand): Promise<Settlement> {
    await this.beforeSettle();
    return super.settle(connection, command);
  }
}

describe('a reading that meets writes of ours', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  let stored: StoredRecords;
  beforeAll(async () => {
    service = await startApp({ syncIntervalMs: 0 }, [], sources);
    stored = await StoredRecords.open(service.databaseUrl);
  });
  afterAll(async () => {
    await stored.close();
    await service.close();
  });

  async function open() {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    const platform = new HeldPlatform('platform_b', portfolioRecords('platform_b'));
    sources.use(customerId, 'platform_b', platform);
    await makeLive(stored, customerId, 'platform_b');
    await connect(client, 'platform_b');
    const change = async (comment: string, waitMs = LONG) => {
      service.app.get(PropagateWait, { strict: false }).milliseconds = waitMs;
      const answer = await client.post('/propagate', {
        format: 'platform',
        platform: 'platform_b',
        platform_id: ON_B,
        entity_type: 'payment',
        data: { comment },
      });
      expect(answer.status).toBe(200);
      return answer.body.data.propagated.platform_b.status;
    };
    /** A change that the platform puts off until it is let come. */
    const putOff = async (comment: string): Promise<void> => {
      platform.reactions.push({ deferFor: HOUR });
      expect(await change(comment, 0)).toBe('pending');
      await untilPutOff((sql, parameters) => stored.query(sql, parameters), customerId);
    };
    const letCome = async (): Promise<void> => {
      await stored.query('update outbox_commands set not_before = now() where customer_id = $1', [
        customerId,
      ]);
      service.app.get(Dispatcher, { strict: false }).wake();
    };
    const commands = () =>
      stored.query<{ status: string; open: boolean }>(
        'select status, decided_at is null as open from outbox_commands where customer_id = $1 order by seq',
        [customerId],
      );
    const decided = async () => {
      for (let looks = 0; looks < 1_000; looks += 1) {
        const all = await commands();
        if (all.every((one) => !one.open)) return all.map(({ status }) => status);
        await sleep(20);
      }
      throw new Error('A command is still open');
    };
    const read = async () => {
      const known = service.log.length;
      await connect(client, 'platform_b');
      return service.log.slice(known).find(({ msg }) => msg === 'connected');
    };
    const shown = () => listed(client, 'platform_b', 'payment', ON_B);
    const cursor = async () => {
      const [row] = await stored.query<{ position: number }>(
        `select position from sync_cursors where customer_id = $1 and scope = 'payment'`,
        [customerId],
      );
      return row?.position;
    };
    return { client, customerId, platform, change, putOff, letCome, decided, read, shown, cursor };
  }

  it('changes nothing when a write comes back', async () => {
    const { platform, change, read, shown } = await open();
    expect(await change('ours')).toBe('applied');
    const before = await shown();
    expect(await read()).toMatchObject({ new: 0, changed: 0 });
    expect(await read()).toMatchObject({ new: 0, changed: 0 });
    expect(await shown()).toEqual(before);
    expect(platform.effects).toHaveLength(1);
  });

  it('tells nobody of a write that comes back', async () => {
    const { client, change, read, shown } = await open();
    const reader = new FeedReader({ type: 'object.changed' });
    await reader.read(client);
    expect(await change('ours')).toBe('applied');
    expect(await reader.read(client)).not.toEqual([]);
    const { canonical_id: id } = await shown();
    const before = await client.get(`/objects/${id}`);
    const [{ since }] = before.body.data.records;
    const changed = async () =>
      (await client.get(`/objects?platform=platform_b&entity_type=payment&modified_after=${since}`)).body
        .data;
    expect(await changed()).toEqual([]);
    await read();
    await read();
    expect(await reader.read(client)).toEqual([]);
    expect(await changed()).toEqual([]);
    const after = await client.get(`/objects/${id}`);
    expect(after.body).toEqual(before.body);
    expect(after.headers.get('etag')).toBe(before.headers.get('etag'));
  });

  it('changes nothing when it shows what a write was accepted for that is not confirmed', async () => {
    const { customerId, platform, change, decided, read, shown, cursor } = await open();
    const [looking, settling] = [latch(), latch()];
    platform.beforeSettle = () => {
      looking.open();
      return settling.opened;
    };
    platform.reactions.push('take and be silent');
    expect(await change('ours', 0)).not.toBe('applied');
    await looking.opened;
    expect(await read()).toMatchObject({ new: 0, changed: 0 });
    expect(await shown()).toMatchObject({ data: { notes: 'ours' } });
    const [row] = await stored.query<{ open: boolean }>(
      'select accepted is not null as open from platform_records where customer_id = $1 and platform_id = $2',
      [customerId, ON_B],
    );
    expect(row?.open).toBe(true);
    // What the platform set itself is yet to be stored, so the next reading begins where this one did.
    expect(await cursor()).toBe(1);
    settling.open();
    expect(await decided()).toEqual(['applied']);
    expect(await shown()).toMatchObject({ data: { notes: 'ours' }, platform_data: { comment: 'ours' } });
    expect(await read()).toMatchObject({ new: 0, changed: 0 });
    expect(await cursor()).toBe(3);
    expect(platform.effects).toHaveLength(1);
  });

  it('does not overwrite a write that was accepted after it began', async () => {
    const { platform, putOff, letCome, decided, read, shown } = await open();
    const [reading, goOn] = [latch(), latch()];
    platform.beforePayments = () => {
      reading.open();
      return goOn.opened;
    };
    const run = read();
    await reading.opened;
    await putOff('ours');
    goOn.open();
    await run;
    expect(await shown()).toMatchObject({ data: { notes: 'ours' } });
    await letCome();
    expect(await decided()).toEqual(['applied']);
    expect(await shown()).toMatchObject({ data: { notes: 'ours' }, platform_data: { comment: 'ours' } });
  });

  it('does not overwrite a write that was confirmed after it began', async () => {
    const { platform, change, read, shown } = await open();
    const [reading, goOn] = [latch(), latch()];
    // The page was made before the write.
    platform.beforePayments = () => {
      reading.open();
      return goOn.opened;
    };
    const run = read();
    await reading.opened;
    expect(await change('ours')).toBe('applied');
    goOn.open();
    await run;
    expect(await shown()).toMatchObject({ data: { notes: 'ours' }, platform_data: { comment: 'ours' } });
  });

  it('reads a change of others again that it met while a write was open', async () => {
    const { platform, putOff, letCome, decided, read, shown, cursor } = await open();
    expect(await cursor()).toBe(1);
    await putOff('ours');
    platform.change('payment', ON_B, { description: 'theirs' });
    await read();
    expect(await shown()).toMatchObject({ data: { notes: 'ours' } });
    // The reading could not store it, so the next one begins where this one did.
    expect(await cursor()).toBe(1);
    await letCome();
    await decided();
    await read();
    expect(platform.since).toEqual([null, 1, 1]);
    expect(await cursor()).toBe(3);
    expect(await shown()).toMatchObject({ platform_data: { description: 'theirs', comment: 'ours' } });
  });

  it('reads all again where it met such a change in a reading of all, and knows what that has covered', async () => {
    const { customerId, platform, putOff, letCome, decided, read, shown } = await open();
    await stored.query('update sync_schedules set whole_at = null where customer_id = $1', [customerId]);
    await putOff('ours');
    platform.change('payment', ON_B, { description: 'theirs' });
    await read();
    await letCome();
    await decided();
    await read();
    await read();
    expect(platform.since).toEqual([null, null, null, 3]);
    expect(platform.covered).toEqual([null, 1, 2, 3]);
    expect(await shown()).toMatchObject({ platform_data: { description: 'theirs', comment: 'ours' } });
  });
});
