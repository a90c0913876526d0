import { Client } from 'pg';
import { migrate } from '../../src/database/schema/migrate';
import { openCluster, SUPERUSER } from '../../src/runtime/embedded-postgres/cluster';
import { startEmbeddedPostgres } from '../../src/runtime/embedded-postgres/embedded-postgres';
import { findPostmaster, stopPostmaster } from '../../src/runtime/embedded-postgres/postmaster';

/** The server of a run, with durable defaults, and the databases that figures make on it. */
export interface Databases {
  /** The version that the server reports. */
  readonly version: string;
  /** Makes a database with the service's schema, for one figure. */
  create(name: string): Promise<Database>;
  /** Makes a database as a copy of another one, which must have no connections. */
  copy(name: string, original: Database): Promise<Database>;
  stop(): Promise<void>;
}

/** One database of a figure. */
export interface Database {
  readonly name: string;
  /** The URL for the service, with a role of its own. */
  readonly url: string;
  /** Runs work on a separate connection as a superuser, which may write checkpoints. */
  use<Result>(work: (client: Client) => Promise<Result>): Promise<Result>;
  /** Writes dirty pages to disk, so that no measurement pays for the one before. */
  settle(): Promise<void>;
  drop(): Promise<void>;
}

/** Starts the embedded server under a folder. */
export async function startDatabases(folder: string): Promise<Databases> {
  const server = await startEmbeddedPostgres(folder);
  const cluster = await openCluster(folder, true);
  const admin = new URL(server.url);
  admin.username = SUPERUSER;
  const owner = new URL(server.url).username;
  const inDatabase = (base: URL | string, name: string) => {
    const url = new URL(base);
    url.pathname = `/${name}`;
    return url.href;
  };
  const adminUrl = inDatabase(admin, 'postgres');
  const { rows } = await withClient(adminUrl, (client) =>
    client.query<{ version: string }>(`select current_setting('server_version') as version`),
  );
  const open = (name: string): Database => {
    const own = inDatabase(admin, name);
    return {
      name,
      url: inDatabase(server.url, name),
      use: (work) => withClient(own, work),
      settle: () => withClient(own, (client) => client.query('checkpoint').then(() => undefined)),
      drop: () =>
        withClient(adminUrl, (client) =>
          client.query(`drop database ${name} with (force)`).then(() => undefined),
        ),
    };
  };
  const make = (name: string, template: string) =>
    withClient(adminUrl, async (client) => {
      await client.query(`drop database if exists ${name} with (force)`);
      await client.query(`create database ${name} owner ${owner} template ${template}`);
    });
  return {
    version: rows[0]?.version ?? '',
    async copy(name, original) {
      await make(name, `${original.name} strategy file_copy`);
      return open(name);
    },
    async create(name) {
      await make(name, `template0 encoding 'UTF8'`);
      const database = open(name);
      await migrate(database.url);
      return database;
    },
    async stop() {
      await server.stop();
      // In an interrupted run some connections are still open, and the server would wait for others to use it.
      const left = await findPostmaster(cluster.data);
      if (left !== undefined) await stopPostmaster(cluster, left);
    },
  };
}

async function withClient<Result>(url: string, work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
