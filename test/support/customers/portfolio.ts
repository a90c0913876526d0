import { ruleNames, type RuleLevel, type RuleName } from '@app/mapper';
import { Client, type Pool } from 'pg';
import type { ApiResponse } from '../app/api';
import { api } from '../app/api';
import type { Caller, RunningApp } from '../app/app';

export type Platform = 'platform_a' | 'platform_b';
export type StoredType = 'project' | 'customer' | 'contract' | 'invoice' | 'payment';

export const platforms: readonly Platform[] = ['platform_a', 'platform_b'];
export const storedTypes: readonly StoredType[] = ['project', 'customer', 'contract', 'invoice', 'payment'];

/** A payment of the sample portfolio that both platforms have, by its ID on each. */
export const ON_A = '1823456';
export const ON_B = 'a34e74db-53c7-4368-8fe7-bb87c83c7902';

/** An element of a listing. Tests read any member of canonical and native data. */
export interface Listed {
  readonly id: string;
  readonly canonical_id: string;
  readonly data: ReturnType<typeof JSON.parse>;
  readonly platform_data: ReturnType<typeof JSON.parse>;
  readonly mappings: readonly { platform: Platform; platform_id: string }[];
  readonly version: string;
}

/** A customer with sandboxes, and the calls that tests of propagation make for it. */
export interface Portfolio extends Caller {
  readonly client: ReturnType<typeof api>;
  connect(platform: Platform): Promise<void>;
  list(platform: Platform, type: StoredType): Promise<Listed[]>;
  /** Finds the object with a native or canonical ID. */
  find(platform: Platform, type: StoredType, id: string): Promise<Listed>;
  /** Changes a record in its platform's own form. */
  native(
    platform: Platform,
    type: StoredType,
    id: string,
    data: object,
    context?: unknown,
  ): Promise<ApiResponse>;
  /** Changes an object in canonical form. */
  canonical(type: StoredType, id: string, data: object, context?: unknown): Promise<ApiResponse>;
  /** Changes with `"create_missing": true`: a platform that lacks the object gets it. */
  readonly creating: Pick<Portfolio, 'native' | 'canonical'>;
  /** Sets the level of rules of the customer; without names, of all rules. */
  setRules(level: RuleLevel, ...rules: readonly RuleName[]): Promise<void>;
  /** Every row of the customer, as text. Equal lists show that nothing was written in between. */
  stored(): Promise<readonly string[]>;
  /** The stored propagations, in order. */
  accounts(): Promise<ReturnType<typeof JSON.parse>[]>;
  sql<Row extends object>(text: string, parameters?: readonly unknown[]): Promise<Row[]>;
}

/** The portfolios of one running service. */
export interface Portfolios {
  /** A connection to the database of the service. */
  readonly database: Client;
  open(connected?: readonly Platform[]): Promise<Portfolio>;
  /** Opens a portfolio with canonical IDs of its own, connected over HTTP in this order. */
  connect(connected?: readonly Platform[]): Promise<Portfolio>;
  close(): Promise<void>;
}

/** Tables of a customer's data, each after those it refers to. */
const tables = ['connections', 'canonical_objects', 'changes', 'platform_records'];

/**
 * Opens portfolios of one running service; `close` ends their connection to its database.
 *
 * A set of platforms is connected over HTTP once, and each portfolio is a copy of the resulting rows, so a session is
 * ready in a few milliseconds. The copies have the same canonical IDs. That is harmless, because the IDs are opaque
 * and unique within a customer.
 */
export async function portfolios(
  app: Pick<RunningApp, 'url' | 'databaseUrl' | 'openSession'>,
): Promise<Portfolios> {
  const database = new Client({ connectionString: app.databaseUrl });
  await database.connect();
  const originals = new Map<string, Promise<Portfolio>>();
  const connect = async (connected: readonly Platform[] = platforms): Promise<Portfolio> => {
    const portfolio = portfolioOf(app.url, await app.openSession(), database);
    for (const platform of connected) await portfolio.connect(platform);
    return portfolio;
  };
  return {
    database,
    open: async (connected = platforms) => {
      const name = connected.join(' ');
      const original = originals.get(name) ?? connect(connected);
      originals.set(name, original);
      const { customerId } = await original;
      const portfolio = portfolioOf(app.url, await app.openSession(), database);
      await copyPortfolio(database, customerId, portfolio.customerId);
      return portfolio;
    },
    connect,
    close: () => database.end(),
  };
}

/** Gives a new customer what another one has that has connected its platforms, but for its runs and events. */
export async function copyPortfolio(
  database: { query(text: string, parameters: string[]): Promise<unknown> },
  from: string,
  to: string,
): Promise<void> {
  for (const table of tables) {
    await database.query(
      `insert into ${table} select copy.*
       from ${table} t, json_populate_record(t, json_build_object('customer_id', $2::uuid)) copy
       where t.customer_id = $1`,
      [from, to],
    );
  }
}

/** The portfolio of a caller at the address of a service. */
export function portfolioOf(url: string, caller: Caller, database: Client | Pool): Portfolio {
  const client = api(url, caller.key);
  const sql = async <Row extends object>(text: string, parameters: readonly unknown[] = []): Promise<Row[]> =>
    (await database.query<Row>(text, [...parameters])).rows;
  const list = async (platform: Platform, type: StoredType): Promise<Listed[]> => {
    const answer = await client.get(`/objects?platform=${platform}&entity_type=${type}`);
    expect(answer.status).toBe(200);
    return answer.body.data;
  };
  const changes = (more: object): Pick<Portfolio, 'native' | 'canonical'> => ({
    native: (platform, entity_type, platform_id, data, context) =>
      client.post('/propagate', {
        ...{ format: 'platform', platform, platform_id, entity_type, data, context },
        ...more,
      }),
    canonical: (entity_type, canonical_id, data, context) =>
      client.post('/propagate', { format: 'canonical', canonical_id, entity_type, data, context, ...more }),
  });
  return {
    ...caller,
    client,
    connect: async (platform) => {
      expect((await client.post('/connect', { platform })).status).toBe(200);
    },
    list,
    find: async (platform, type, id) => {
      const found = (await list(platform, type)).filter(
        (listed) => listed.id === id || listed.canonical_id === id,
      );
      if (found.length !== 1 || !found[0]) throw new Error(`${found.length} of ${type} ${id} on ${platform}`);
      return found[0];
    },
    ...changes({}),
    creating: changes({ create_missing: true }),
    setRules: async (level, ...rules) => {
      for (const rule of rules.length === 0 ? ruleNames : rules) {
        await sql(
          `update customer_terms set until = clock_timestamp() where customer_id = $1 and name = $2 and until is null`,
          [caller.customerId, rule],
        );
        await sql(
          `insert into customer_terms (customer_id, kind, name, value, since)
           values ($1, 'rule', $2, $3, clock_timestamp())`,
          [caller.customerId, rule, JSON.stringify(level)],
        );
      }
    },
    stored: async () => {
      const rows = async (text: string) => sql<Record<string, unknown>>(text, [caller.customerId]);
      return [
        ...(await rows('select * from connections where customer_id = $1 order by platform')),
        ...(await rows('select * from canonical_objects where customer_id = $1 order by id')),
        ...(await rows('select * from canonical_aliases where customer_id = $1 order by alias_id')),
        ...(await rows(`select r.*, payload::text as payload from platform_records r where customer_id = $1
                        order by platform, entity_type, platform_id`)),
        ...(await rows('select id, outcome::text from propagations where customer_id = $1 order by id')),
      ].map((row) => JSON.stringify(row));
    },
    accounts: () =>
      sql(
        `select canonical_id, entity_type, request_id, updated_fields, outcome from propagations
         where customer_id = $1 order by created_at`,
        [caller.customerId],
      ),
    sql,
  };
}
