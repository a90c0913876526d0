import { groupBy } from '@app/mapper';
import { fc, randomCases } from '../../../libs/mapper/src/testing/property';
import type { MatchingDecision } from '../../../src/reconciliation/decisions/decisions.response';
import { api, type ApiResponse } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { decide, withdraw, type RecordText } from '../../support/customers/deciding';
import { FeedReader, type FeedEvent } from '../../support/customers/feed';
import { GivenRecords } from '../../support/platforms/given-records';
import { LIVE_KEY, makeLive, makeSandbox } from '../../support/live/live-connections';
import { expectLinks, nameOf } from '../../support/records/matching-model';
import {
  contents,
  elsewhere,
  idOn,
  RecordSource,
  steps,
  thingOf,
  type Content,
  type Step,
} from '../../support/records/moved-records';
import { platforms, type Platform } from '../../support/customers/portfolio';
import { StoredRecords } from '../../support/database/stored-records';
import { keptCommandsOn } from '../cli/run-command';
import { keysSetting } from '../credentials/master-keys';
import { readPlatform } from '../../support/platforms/read-platform';

/** Customers whose records change, go, return and get other IDs. `FC_TIMES` looks further. */
const LIVES = 1;

jest.setTimeout(60_000 + randomCases(LIVES) * 120_000);

interface Row {
  readonly platform: Platform;
  readonly entity_type: Content['type'];
  readonly platform_id: string;
  readonly canonical_id: string;
  /** By type: the native ID that it names, and the object. */
  readonly references: Readonly<Record<string, readonly [ref: string | null, id: string | null]>>;
}

const recordOf = ({ platform, platform_id: id }: Pick<Row, 'platform' | 'platform_id'>) =>
  `${platform} ${id}`;

describe('objects, whatever happens to their records', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  let stored: StoredRecords;
  const { json } = keptCommandsOn(() => service.databaseUrl, { CREDENTIALS_KEYS: keysSetting(LIVE_KEY) });
  beforeAll(async () => {
    service = await startApp({ logLevel: 'error', syncIntervalMs: 0 }, [], sources);
    stored = await StoredRecords.open(service.databaseUrl);
  });
  afterAll(async () => {
    await stored.close();
    await service.close();
  });

  /** A customer who lives through steps. */
  class Life {
    private readonly read = {
      platform_a: { live: new RecordSource(), sandbox: new RecordSource() },
      platform_b: { live: new RecordSource(), sandbox: new RecordSource() },
    };
    private readonly mode: Record<Platform, 'live' | 'sandbox' | 'removed'> = {
      platform_a: 'removed',
      platform_b: 'removed',
    };
    private readonly reader = new FeedReader({ limit: '500' });
    /** By ID, what the feed told last; undefined where a purge, of which it does not tell, may have changed it. */
    private readonly told = new Map<string, FeedEvent['data']>();
    /** Every ID that a client may know. */
    private readonly ids = new Set<string>();
    /** What these IDs showed after a step. */
    private shown: { readonly at: string; readonly answers: ReadonlyMap<string, ApiResponse> }[] = [];
    private serial = 100;
    private removed: Content | undefined;

    constructor(
      private readonly customerId: string,
      private readonly client: ReturnType<typeof api>,
      first: readonly Content[],
    ) {
      for (const [place, one] of first.entries())
        if (place % 4 < 3) this.read[one.platform].live.put(one);
        else this.read[one.platform].sandbox.put(elsewhere(one));
    }

    async do(step: Step): Promise<void> {
      switch (step.do) {
        case 'put': {
          if (this.mode[step.platform] === 'removed') return this.connect(step.platform);
          this.source(step.platform).put(this.mode[step.platform] === 'sandbox' ? elsewhere(step) : step);
          return this.complete(step.platform);
        }
        case 'remove':
        case 'rename': {
          // A sandbox keeps what is removed from it.
          const isDecided = await this.inLatest(step.do === 'remove' && step.ofDecision === true);
          const found = chosen(
            this.contents().filter((one) => this.mode[one.platform] === 'live' && isDecided(one)),
            step.pick,
          );
          if (found === undefined) return;
          const source = this.source(found.platform);
          if (step.do === 'remove') {
            source.remove(found);
            this.removed = found;
          } else source.rename(found, (this.serial += 1), step.follow);
          // A record that two readings lack is deleted.
          await this.complete(found.platform);
          return this.complete(found.platform);
        }
        case 'return': {
          const { removed } = this;
          if (removed === undefined || this.mode[removed.platform] !== 'live') return;
          if (step.replaced) {
            this.source(removed.platform).put({ ...removed, number: (this.serial += 1) });
            await this.complete(removed.platform);
          }
          this.source(removed.platform).put(removed);
          return this.complete(removed.platform);
        }
        case 'decide':
          return this.decide(step);
        case 'withdraw': {
          const found = chosen(await this.standing(), step.pick);
          if (found !== undefined) expect((await withdraw(this.client, found.id ?? '')).status).toBe(200);
          return;
        }
        case 'swap': {
          if (this.mode[step.platform] === 'removed') return this.connect(step.platform);
          const toSandbox = this.mode[step.platform] === 'live';
          await (toSandbox ? makeSandbox : makeLive)(stored, this.customerId, step.platform);
          this.mode[step.platform] = toSandbox ? 'sandbox' : 'live';
          return this.complete(step.platform);
        }
        case 'purge':
          return this.mode[step.platform] === 'live' ? this.purge(step.platform) : undefined;
      }
    }

    /** Whether a record is one of the latest decision that stands; of any record, unless asked. */
    private async inLatest(asked: boolean): Promise<(one: Content) => boolean> {
      if (!asked) return () => true;
      const [latest] = await this.standing();
      return ({ platform, type, number }) =>
        latest?.entity_type === type &&
        latest.records.some((one) => one.platform === platform && one.platform_id === idOn(platform, number));
    }

    async connect(platform: Platform): Promise<void> {
      await makeLive(stored, this.customerId, platform);
      this.mode[platform] = 'live';
      await this.complete(platform);
    }

    private source(platform: Platform): RecordSource {
      return this.read[platform][this.mode[platform] === 'sandbox' ? 'sandbox' : 'live'];
    }

    private contents(): readonly Content[] {
      return platforms.flatMap((one) => (this.mode[one] === 'removed' ? [] : this.source(one).contents()));
    }

    private async complete(platform: Platform): Promise<void> {
      const { customerId } = this;
      sources.use(customerId, platform, this.source(platform).moving);
      await readPlatform(service, { customerId, platform });
    }

    private async decide({ decision, pick }: Extract<Step, { do: 'decide' }>): Promise<void> {
      const all = this.contents();
      const one = chosen(all, pick[0]);
      const other = chosen(
        all.filter(({ platform, type }) => platform !== one?.platform && type === one?.type),
        pick[1],
      );
      if (one === undefined || other === undefined) return;
      const name = ({ platform, number }: Content): RecordText => `${platform} ${idOn(platform, number)}`;
      const answer = await decide(this.client, decision, one.type, [name(one), name(other)]);
      expect([200, 409]).toContain(answer.status);
    }

    private async standing(): Promise<readonly MatchingDecision[]> {
      return (await this.client.get('/reconciliation/decisions?status=standing')).body.data;
    }

    /** History goes with the records, without events. */
    private async purge(platform: Platform): Promise<void> {
      await this.hear();
      // What the other platform has, or had, stays known.
      const kept = await stored.query<{ id: string }>(
        `select canonical_id as id from platform_records where customer_id = $1 and platform <> $2
         union select canonical_id from deleted_records where customer_id = $1 and platform <> $2`,
        [this.customerId, platform],
      );
      await json('connections', 'remove', '--customer', this.customerId, '--platform', platform, '--purge');
      this.mode[platform] = 'removed';
      this.shown = [];
      const present = new Set((await this.rows()).map(({ canonical_id: id }) => id));
      for (const id of this.told.keys())
        if (present.has(id)) this.told.set(id, undefined);
        else this.told.delete(id);
      const known = await stored.query<{ id: string }>(
        `select id from canonical_objects where customer_id = $1
         union all select alias_id from canonical_aliases where customer_id = $1`,
        [this.customerId],
      );
      const left = new Set(known.map(({ id }) => id));
      expect(kept.filter(({ id }) => !left.has(id))).toEqual([]);
      for (const id of this.ids) if (!left.has(id)) this.ids.delete(id);
    }

    private rows(): Promise<Row[]> {
      const references = ['project', 'customer', 'contract', 'invoice'].map(
        (type) => `'${type}', json_build_array(${type}_ref, ${type}_canonical_id)`,
      );
      return stored.query<Row>(
        `select platform, entity_type, platform_id, canonical_id, json_build_object(${references.join(', ')}) as references
         from platform_records where customer_id = $1 order by platform, entity_type, platform_id`,
        [this.customerId],
      );
    }

    /** Follows the feed as a program does that keeps a copy of all objects. */
    private async hear(): Promise<void> {
      for (const { type, data } of await this.reader.read(this.client)) {
        if (!type.startsWith('object.')) continue;
        const id = String(data.canonical_id);
        const isThere = ['object.changed', 'object.deleted', 'object.merged'].includes(type);
        expect({ type, id, isThere: this.told.has(id) }).toEqual({ type, id, isThere });
        if (type === 'object.deleted' || type === 'object.merged') this.told.delete(id);
        else this.told.set(id, data);
        this.ids.add(id);
      }
    }

    async check(): Promise<void> {
      const rows = await this.rows();
      const names = rows.map((row) => `${row.platform} ${row.entity_type} ${row.platform_id}`);
      expect(names.toSorted()).toEqual(
        this.contents()
          .map((one) => nameOf(thingOf(one)))
          .toSorted(),
      );
      expectReferences(rows);
      const standing = await this.standing();
      this.expectDecided(rows, standing);
      this.expectLinked(new Map(rows.map((row, place) => [names[place] ?? '', row.canonical_id])), standing);
      const objects = groupBy(rows, ({ canonical_id: id }) => id);
      await this.hear();
      this.expectTold(objects);
      await this.expectShown(objects, standing);
    }

    private expectTold(objects: ReadonlyMap<string, readonly Row[]>): void {
      expect([...this.told.keys()].toSorted()).toEqual([...objects.keys()].toSorted());
      for (const [id, data] of this.told)
        if (data !== undefined)
          expect({ id, records: data.records.map(recordOf) }).toEqual({
            id,
            records: objects.get(id)?.map(recordOf),
          });
    }

    /** Decisions stand for what is stored, and a list of them names the objects of their records. */
    private expectDecided(rows: readonly Row[], standing: readonly MatchingDecision[]): void {
      for (const { decision, entity_type: type, records } of standing) {
        const objects = records.map(
          (one) =>
            rows.find(
              (row) => row.entity_type === type && recordOf(row) === `${one.platform} ${one.platform_id}`,
            )?.canonical_id ?? null,
        );
        expect({ decision, objects: records.map((one) => one.canonical_id) }).toEqual({ decision, objects });
        if (!objects.includes(null))
          expect({ decision, objects, areOne: objects[0] === objects[1] }).toEqual({
            ...{ decision, objects },
            areOne: decision === 'link',
          });
      }
    }

    /** What the rule links is linked, unless one of the two is linked with another record from before. */
    private expectLinked(objectOf: ReadonlyMap<string, string>, standing: readonly MatchingDecision[]): void {
      const decisions = standing.map(({ decision, entity_type: type, records: [one, other] }) => {
        const name = (named: typeof one) => `${named?.platform} ${type} ${named?.platform_id}`;
        return { decision, records: [name(one), name(other)] as const };
      });
      const sizes = groupBy(objectOf.values(), (id) => id);
      const alone = (id: string): boolean => sizes.get(id)?.length === 1;
      for (const pair of expectLinks(this.contents().map(thingOf), decisions)) {
        const ids = pair.map((name) => objectOf.get(name) ?? '');
        if (ids.every(alone)) expect({ pair, objects: new Set(ids).size }).toEqual({ pair, objects: 1 });
      }
    }

    /** Each ID that was told leads to an object, now and at earlier times, and each link has its reason. */
    private async expectShown(
      objects: ReadonlyMap<string, readonly Row[]>,
      standing: readonly MatchingDecision[],
    ): Promise<void> {
      for (const id of objects.keys()) this.ids.add(id);
      const [{ at } = { at: '' }] = await stored.query<{ at: string }>(
        `select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at`,
      );
      const answers = new Map<string, ApiResponse>();
      for (const id of this.ids) {
        const answer = await this.client.get(`/objects/${id}`);
        expect({ id, status: answer.status }).toEqual({ id, status: 200 });
        answers.set(id, answer);
        const { canonical_id: named, state, evidence } = answer.body.data;
        const isThere = objects.has(named);
        expect({ id, isThere }).toEqual({ id, isThere: state.deleted_at === null });
        if (objects.has(id)) expect(named).toBe(id);
        const own = new Set((objects.get(named) ?? []).map(recordOf));
        expect({ id, links: evidence.length }).toEqual({ id, links: Math.max(0, own.size - 1) });
        for (const { rule, keys, by } of evidence) {
          const written = keys.map(({ normalised }: { normalised: string }) => normalised);
          if (rule === 'unique_key') expect({ id, keys: new Set(written).size }).toEqual({ id, keys: 1 });
          if (rule === 'decision')
            expect(
              standing
                .filter(({ records }) =>
                  records.every((one) => own.has(`${one.platform} ${one.platform_id}`)),
                )
                .map((one) => one.id),
            ).toContain(by.decision_id);
        }
      }
      for (const then of [this.shown.at(-1), this.shown.at(this.shown.length >> 1)])
        for (const [id, answer] of then?.answers ?? []) {
          const past = await this.client.get(`/objects/${id}?as_of=${then?.at}`);
          expect({ id, at: then?.at, body: past.body }).toEqual({ id, at: then?.at, body: answer.body });
        }
      this.shown.push({ at, answers });
    }
  }

  it('hold each record once, keep their IDs, links and past, and tell what happens', async () => {
    await fc.assert(
      fc.asyncProperty(
        contents,
        steps,
        fc.constantFrom(platforms, platforms.toReversed()),
        async (first, all, order) => {
          const { key, customerId } = await service.openSession();
          const life = new Life(customerId, api(service.url, key), first);
          for (const platform of order) {
            await life.connect(platform);
            await life.check();
          }
          for (const step of all) {
            await life.do(step);
            await life.check();
          }
        },
      ),
      // Each step reads platforms: making a counter-example smaller would take longer than looking at it.
      { numRuns: randomCases(LIVES), endOnFailure: true },
    );
  });
});

/** A reference by native ID leads to the object of the record that it names. */
function expectReferences(rows: readonly Row[]): void {
  const objectOf = new Map(rows.map((row) => [`${row.platform} ${row.entity_type} ${row.platform_id}`, row]));
  for (const { platform, references, ...row } of rows) {
    for (const [type, [ref, id]] of Object.entries(references)) {
      const named = ref?.startsWith('id:') ? objectOf.get(`${platform} ${type} ${ref.slice(3)}`) : undefined;
      if (named !== undefined)
        expect({ platform, ...row, ref, id }).toEqual({ platform, ...row, ref, id: named.canonical_id });
    }
  }
}

function chosen<Of>(all: readonly Of[], pick: number): Of | undefined {
  return all[pick % Math.max(all.length, 1)];
}
