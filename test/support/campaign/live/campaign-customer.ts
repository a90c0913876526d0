import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { RunningPlatformA, RunningPlatformB } from '@app/simulators';
import type { JsonObject, PlatformName } from '@app/mapper';
import { api, type ApiResponse } from '../../app/api';
import type { Caller, RunningApp } from '../../app/app';
import { platforms, storedTypes, type Listed, type Platform } from '../../customers/portfolio';
import type { Instances } from './instances';
import { recordsToChange, recordsToCreate } from './records';
import { troubles, type Action, type Moment, type Others, type Sequence } from './sequence';
import { VendorConsole } from './vendor-console';
import { goLive, startWitnessedPlatforms, type WitnessedPlatforms } from './witnessed-platforms';
import { readPlatform } from '../../platforms/read-platform';

/** The instances and the database that all customers of a campaign share. */
export interface CampaignEnvironment {
  /** The instance for the operator's actions; it sends no commands. */
  readonly office: RunningApp;
  readonly database: Pool;
  readonly instances: Pick<Instances, 'url' | 'killSenderOf'>;
}

/** Paths of each platform's API, without tokens and the control port. */
export const APIS = { platform_a: '^/rest/', platform_b: '/companies\\(|\\$batch' } as const;

/** Milliseconds for which an answer is held back while an instance is killed. */
const HELD_MS = 400;

/** The values of other users that our records showed when a change was accepted, by their numbers. */
export type Known = ReadonlySet<number>;

/** A customer whose platforms are both simulated, and the actions and faults that concern it. */
export class CampaignCustomer {
  readonly console: VendorConsole;
  /** The values that our records showed when each change was accepted, by the number of the change. */
  readonly known = new Map<number, Known>();
  /** The number of requests that platform_a had received when each run began and when it ended. */
  readonly readings: (readonly [from: number, to: number])[] = [];
  /** Statuses of the answers to changes. */
  readonly answers: number[] = [];
  private readonly kills: Promise<unknown>[] = [];
  private readonly hangs: { readonly isMet: () => boolean; readonly kill: () => void }[] = [];
  private quiet = false;

  private constructor(
    private readonly environment: CampaignEnvironment,
    readonly caller: Caller,
    private readonly simulated: WitnessedPlatforms,
  ) {
    this.console = new VendorConsole(simulated.a, simulated.b);
  }

  static async open(
    environment: CampaignEnvironment,
    options: { readonly seed: number; readonly customPayments: boolean },
  ) {
    // Orders in other currencies can be created there, too.
    const simulated = await startWitnessedPlatforms(options.seed, { multiCurrency: true });
    const customer = new CampaignCustomer(environment, await environment.office.issueKey('live'), simulated);
    await customer.goLive(customer.caller, options.customPayments);
    return customer;
  }

  get customerId(): string {
    return this.caller.customerId;
  }

  get a(): RunningPlatformA {
    return this.simulated.a;
  }

  get b(): RunningPlatformB {
    return this.simulated.b;
  }

  get witnesses(): WitnessedPlatforms['witnesses'] {
    return this.simulated.witnesses;
  }

  /** Connects another caller to the same platforms. */
  async goLive(caller: Caller, customPayments: boolean): Promise<void> {
    await goLive(this.environment.office, caller, this.simulated, customPayments);
  }

  /** Calls the API of one of the instances. Returns undefined if the instance was killed before it answered. */
  async call(method: 'GET' | 'POST', path: string, body?: object): Promise<ApiResponse | undefined> {
    const client = api(this.environment.instances.url(), this.caller.key);
    try {
      return await client.send(method, path, body === undefined ? {} : { body });
    } catch (error) {
      // The error of fetch when there is no answer. It comes from another realm than the tests, so `instanceof` does
      // not recognise it.
      if (error instanceof Error || (error as { readonly name?: unknown }).name !== 'TypeError') throw error;
      return undefined;
    }
  }

  /** Connects a platform through the API, repeatedly until it succeeds. */
  async connect(platform: Platform): Promise<void> {
    for (let attempts = 0; attempts < 20; attempts += 1) {
      const answer = await this.call('POST', '/connect', { platform });
      if (answer?.status === 200) return;
      await sleep(50);
    }
    throw new Error(`${platform} could not be connected`);
  }

  /** Reads everything on both platforms, as an operator does. */
  async readAll({ customerId }: Caller): Promise<void> {
    for (const platform of platforms) {
      const end = await readPlatform(this.environment.office, { customerId, platform });
      expect({ platform, complete: end.report.complete, gaps: end.report.gaps }).toEqual({
        platform,
        complete: true,
        gaps: [],
      });
    }
  }

  /** Plans faults from now on. */
  expectTroubles({ troubles: all, lateBy = 0 }: Sequence): void {
    this.b.control.switches.set('readLagMs', lateBy);
    for (const platform of platforms) {
      for (const { what, method, nth } of all[platform]) {
        const others: Others = {
          platform,
          edit: ({ path }) => this.console.editAt(platform, path),
          post: () => this.console.post(),
        };
        const faults = troubles[what]?.({ method, path: APIS[platform], nth }, others) ?? [];
        this.platform(platform).control.faults.add(...faults);
      }
    }
  }

  /** @param number a number that no other action of the campaign uses */
  async act(action: Action, number: number): Promise<void> {
    switch (action.kind) {
      case 'rest':
        await sleep(action.milliseconds);
        return;
      case 'touch':
        return this.console.touch();
      case 'post':
        return this.console.post();
      case 'end tokens':
        return this.console.endTokens(action.platform);
      case 'delete':
        return this.console.remove(action.platform);
      case 'edit':
        return this.console.edit(action.platform, action.what);
      case 'lock':
        return this.console.lock(action.platform, action.what);
      case 'kill':
        return this.planKill(action.platform, action.at);
      case 'connect': {
        const from = this.a.control.log.list().length;
        const answer = await this.call('POST', '/connect', { platform: action.platform });
        this.readings.push([from, this.a.control.log.list().length]);
        expect([undefined, 200, 202, 409, 502, 503]).toContain(answer?.status);
        return;
      }
      default:
        await this.propagate(await this.requestOf(action, number), number);
    }
  }

  private async propagate(body: JsonObject, number: number): Promise<void> {
    const answer = await this.call('POST', '/propagate', body);
    // The service refuses the change if a record is deleted or is being created. A lost answer may have been a success.
    expect([undefined, 200, 400, 404, 409, 422]).toContain(answer?.status);
    this.answers.push(answer?.status ?? 0);
    const { rows } = await this.environment.database.query<{ number: string }>(
      `select distinct m[1] as number
       from platform_records, regexp_matches(payload::text, 'theirs[- ]?(\\d+)', 'gi') m where customer_id = $1`,
      [this.customerId],
    );
    this.known.set(number, new Set(rows.map((row) => Number(row.number))));
  }

  /** The request body for a change, based on the records as they are stored now. */
  async requestOf(action: Change, number: number): Promise<JsonObject> {
    const body = bodyOf(action, await this.canonicalId(action));
    return { ...body, data: dataOf(action, number), create_missing: true };
  }

  private async canonicalId(action: Change): Promise<string> {
    if (action.kind === 'create' || action.by !== 'canonical') return '';
    const { rows } = await this.environment.database.query<{ id: string }>(
      `select canonical_id as id from platform_records
       where customer_id = $1 and (platform_id = $2 or platform_id = $3) limit 1`,
      [this.customerId, ...platforms.map((platform) => recordsToChange[action.what].ids[platform])],
    );
    return rows[0]?.id ?? '';
  }

  /** Kills an instance at one of the next calls of a platform, while it waits for the answer. */
  private planKill(platform: Platform, at: Moment): void {
    const { control } = this.platform(platform);
    const kill = (called: string): void => {
      if (!this.quiet)
        this.kills.push(this.environment.instances.killSenderOf(this.customerId, platform, called));
    };
    const path = APIS[platform];
    if (at === 'lost') {
      const [id] = control.faults.add({ kind: 'hang', match: { method: 'PATCH', path } });
      const isMet = (): boolean => control.faults.list().some((one) => one.id === id && one.met > 0);
      const killed = once(() => {
        const hung = control.log.list().findLast(({ faults }) => faults.includes('hang'));
        this.kills.push(this.environment.instances.killSenderOf(this.customerId, platform, hung?.path ?? ''));
      });
      this.hangs.push({ isMet, kill: killed });
      this.kills.push(this.until(isMet).then(() => (this.quiet ? undefined : killed())));
      return;
    }
    const match = { method: at === 'reading' ? 'GET' : 'PATCH', path };
    control.faults.add(
      { kind: 'run', after: true, match, run: ({ path: called }) => kill(called) },
      { kind: 'delay', after: true, ms: HELD_MS, match },
    );
  }

  private async until(isSo: () => boolean): Promise<void> {
    while (!this.quiet && !isSo()) await sleep(20);
  }

  private platform(platform: Platform): RunningPlatformA | RunningPlatformB {
    return platform === 'platform_a' ? this.a : this.b;
  }

  /** Ends all faults and all edits of other users. */
  async calm(): Promise<void> {
    // A hanging request ends with the instance that sent it.
    for (const { isMet, kill } of this.hangs) if (isMet()) kill();
    this.quiet = true;
    for (const platform of platforms) this.platform(platform).control.faults.clear();
    this.console.unlock();
    this.b.control.switches.set('readLagMs', 0);
    for (let done = 0; done < this.kills.length; done = this.kills.length) await Promise.all(this.kills);
  }

  /** Waits until every change is decided. */
  async settled(): Promise<void> {
    const { database } = this.environment;
    for (let attemptsLeft = 3_000; attemptsLeft > 0; attemptsLeft -= 1) {
      const { rows } = await database.query<{ waits: boolean }>(
        `select lease_owner is null and not_before > now() + interval '700 milliseconds' as waits
         from outbox_commands where customer_id = $1 and decided_at is null`,
        [this.customerId],
      );
      if (rows.length === 0) return;
      // The campaign skips the pauses between attempts. The checks for writes that show late have shorter pauses of
      // their own.
      if (rows.some(({ waits }) => waits)) {
        await database.query(
          `update outbox_commands set not_before = now() where customer_id = $1 and decided_at is null
             and lease_owner is null and not_before > now() + interval '700 milliseconds'`,
          [this.customerId],
        );
      }
      await sleep(30);
    }
    const { rows } = await database.query(
      `select platform, entity_type, platform_id, changes::text, status, attempts, checks, put_off from outbox_commands
       where customer_id = $1 and decided_at is null`,
      [this.customerId],
    );
    throw new Error(`Still open: ${JSON.stringify(rows)}`);
  }

  async close(): Promise<void> {
    this.quiet = true;
    await Promise.allSettled(this.kills);
    await this.simulated.close();
  }
}

/** An action that a client requests. */
export type Change = Extract<Action, { kind: 'change' | 'create' }>;

/** The native form of each record in a caller's listings, by platform, type and ID. */
export async function nativeRecords(url: string, { key }: Caller): Promise<Readonly<Record<string, object>>> {
  const records: Record<string, object> = {};
  for (const platform of platforms) {
    for (const entityType of storedTypes) {
      const { status, body } = await api(url, key).get(
        `/objects?platform=${platform}&entity_type=${entityType}`,
      );
      expect({ platform, entityType, status }).toEqual({ platform, entityType, status: 200 });
      for (const { id, platform_data: data } of body.data as readonly Listed[])
        records[`${platform} ${entityType} ${id}`] = data;
    }
  }
  return records;
}

type Body =
  | { readonly format: 'canonical'; readonly entity_type: string; readonly canonical_id: string }
  | {
      readonly format: 'platform';
      readonly entity_type: string;
      readonly platform: PlatformName;
      readonly platform_id: string;
    };

function bodyOf(action: Change, canonicalId: string): Body {
  if (action.kind === 'create') {
    const { entityType, on, id } = recordsToCreate[action.what];
    return { format: 'platform', entity_type: entityType, platform: on, platform_id: id };
  }
  const { entityType, ids } = recordsToChange[action.what];
  return action.by === 'canonical'
    ? { format: 'canonical', entity_type: entityType, canonical_id: canonicalId }
    : { format: 'platform', entity_type: entityType, platform: action.by, platform_id: ids[action.by] };
}

function dataOf(action: Change, number: number): JsonObject {
  if (action.kind === 'create') return recordsToCreate[action.what].data(number);
  const { fields } = recordsToChange[action.what];
  const chosen = fields.filter((_, place) => (action.fields & (1 << place)) !== 0);
  return Object.fromEntries(
    (chosen.length > 0 ? chosen : fields.slice(0, 1)).map(({ names, value }) => [
      names[action.by],
      value(number, action.by),
    ]),
  );
}

function once(work: () => unknown): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    work();
  };
}
