import { setTimeout as delay } from 'node:timers/promises';
import type { PlatformName } from '@app/mapper';
import { AgreementsService } from '../../../src/terms/agreements/agreements.service';
import { ExchangeRatesService } from '../../../src/terms/rates/exchange-rates.service';
import { Freshness } from '../../../src/reconciliation/freshness/freshness';
import { readPlatform } from '../platforms/read-platform';
import { api, type ApiResponse } from '../app/api';
import type { RunningApp } from '../app/app';
import type { GivenRecords } from '../platforms/given-records';
import { makeLive } from '../live/live-connections';
import { FeedReader } from '../customers/feed';
import { platforms, type Listed, type Platform, type StoredType } from '../customers/portfolio';
import type { StoredRecords } from '../database/stored-records';
import { CLIENTS, type OwnType } from './commands';
import { PlatformFeed } from './platform-feed';

export type Body = ReturnType<typeof JSON.parse>;

/** An element of a listing, with all members that the model checks. */
export interface Shown extends Listed {
  readonly platform: Platform;
  readonly entity_type: StoredType;
  readonly version: string;
}

/** Two instances of the service on one database, and their platforms. */
export interface Service {
  readonly instances: readonly [RunningApp, RunningApp];
  readonly sources: GivenRecords;
  readonly stored: StoredRecords;
  /** The kinds of requests so far with the statuses of their answers. */
  readonly met: Set<string>;
}

/** A sign-off as the service answered it. */
export interface Signed {
  readonly id: string;
  readonly role: 'prepared' | 'reviewed';
  readonly signed_by: string;
  readonly as_of: string;
  readonly entity_type: OwnType | null;
  readonly digest: string;
  /** The figures of the statement that was signed, without ages. */
  readonly figures: string;
}

/** The path of an own field on each platform. */
export type Places = Readonly<Record<Platform, { readonly path: string; readonly writable: boolean }>>;

/** An answer to the definition or the removal of an own field. */
export interface Defined {
  readonly type: OwnType;
  /** Undefined for a removal. */
  readonly places: Places | undefined;
  readonly since: string | null;
}

/** A request with an idempotency key, and its first answer that the service keeps. */
export interface Keyed {
  readonly send: (client: number) => Promise<ApiResponse>;
  /** Counts the effect that an answer reports. */
  readonly note: (answer: ApiResponse) => void;
  answer: ApiResponse | undefined;
}

/** A customer with several clients, and the answers that they received. */
export class ModelCustomer {
  readonly feeds = { platform_a: new PlatformFeed('platform_a'), platform_b: new PlatformFeed('platform_b') };
  /** IDs of the changes that answers named. */
  readonly propagations = new Set<string>();
  readonly decisions = { made: new Set<string>(), withdrawn: new Set<string>() };
  readonly signoffs = { made: new Map<string, Signed>(), withdrawn: new Set<string>() };
  /** Own fields by type, as the last complete check found them. */
  readonly fields = new Map<OwnType, Places>();
  /** The answers about own fields in this round. */
  readonly defined: Defined[] = [];
  /** The readers of the feed, one for each client. */
  readonly readers = Array.from(
    { length: CLIENTS },
    (_, place) => new FeedReader({ limit: `${10 + 5 * place}` }),
  );
  /** The number of commands that found nothing to work on. */
  idle = 0;
  readonly keyed: Keyed[] = [];
  /** The objects that the last complete check found. */
  shown: readonly Shown[] = [];
  /** Versions by object, the latest last. */
  readonly versions = new Map<string, string[]>();
  /** The answers to successful writers in this round, by the version that they sent. */
  readonly wins = new Map<string, ApiResponse[]>();
  /** Native IDs on the listing pages that were read in this round. */
  readonly pages: { readonly platform: Platform; readonly ids: readonly string[] }[] = [];
  private serial = 0;

  private constructor(
    readonly service: Service,
    readonly id: string,
    private readonly clients: readonly ReturnType<typeof api>[],
  ) {}

  static async open(service: Service): Promise<ModelCustomer> {
    const { key, customerId } = await service.instances[0].openSession();
    const clients = Array.from({ length: CLIENTS }, (_, place) =>
      patient(api(instanceAt(service, place).url, key)),
    );
    const customer = new ModelCustomer(service, customerId, clients);
    for (const platform of platforms) {
      service.sources.use(customerId, platform, customer.feeds[platform].connector);
      await makeLive(service.stored, customerId, platform);
      const answer = await customer.client(0).post('/connect', { platform });
      expect({ status: answer.status, error: answer.body.error }).toEqual({ status: 200, error: undefined });
    }
    return customer;
  }

  client(place: number): ReturnType<typeof api> {
    const client = this.clients[place % this.clients.length];
    if (client === undefined) throw new Error('There is no client');
    return client;
  }

  /** A number that was not used before. */
  next(): number {
    this.serial += 1;
    return this.serial;
  }

  async list(platform: PlatformName, type: string, place = 0): Promise<readonly Shown[]> {
    const answer = await this.client(place).get(`/objects?platform=${platform}&entity_type=${type}`);
    expect(answer.status).toBe(200);
    return answer.body.data;
  }

  /** Reads everything on a platform, and accepts deletions. */
  read(platform: Platform, place: number): Promise<unknown> {
    return readPlatform(this.on(place), { customerId: this.id, platform });
  }

  async setRate(rate: string, place: number): Promise<void> {
    await this.on(place)
      .app.get(ExchangeRatesService, { strict: false })
      .set(this.id, { from: 'USD', to: 'QAR', rate });
  }

  async setPrecedence(names: readonly Platform[], place: number): Promise<void> {
    await this.on(place)
      .app.get(AgreementsService, { strict: false })
      .setPrecedence(this.id, 'payment', 'amount', names);
  }

  /** Waits until the comparisons include all changes of the records. */
  follow(place: number): Promise<void> {
    return this.on(place).app.get(Freshness, { strict: false }).follow(this.id, 60_000);
  }

  /** Reads rows of the customer, whose ID is the first parameter. */
  rows<Row extends object>(sql: string): Promise<Row[]> {
    return this.service.stored.query<Row>(sql, [this.id]);
  }

  private on(place: number): RunningApp {
    return instanceAt(this.service, place);
  }
}

function instanceAt({ instances }: Service, place: number): RunningApp {
  return instances[place % 2 === 0 ? 0 : 1];
}

/**
 * A client that repeats a request which the service refused for lack of room on a busy machine. Such a request had no
 * effect.
 */
function patient({ send: sendOnce }: ReturnType<typeof api>): ReturnType<typeof api> {
  const send: typeof sendOnce = async (method, path, request) => {
    for (;;) {
      const answer = await sendOnce(method, path, request);
      if (answer.status !== 502 || !/is overloaded/.test(answer.text)) return answer;
      await delay(1_000);
    }
  };
  return {
    send,
    get: (path, headers) => send('GET', path, { headers }),
    post: (path, body = {}, headers) => send('POST', path, { body, headers }),
    delete: (path, headers) => send('DELETE', path, { headers }),
  };
}
