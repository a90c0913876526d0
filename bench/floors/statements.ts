import { Client } from 'pg';

/** A loop over several connections of the driver, as many as requests would be under way. */
export interface DriverLoad {
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
  /** One piece of work on a connection; its number counts from 0. @throws when its result is wrong */
  readonly work: (client: Client, index: number) => Promise<void>;
}

/** Keeps connections of the driver busy. Returns pieces of work per second. */
export async function driverRate({ url, connections, seconds, work }: DriverLoad): Promise<number> {
  const clients = await Promise.all(
    Array.from({ length: connections }, async () => {
      const client = new Client({ connectionString: url });
      await client.connect();
      return client;
    }),
  );
  try {
    let begunWorks = 0;
    const begun = performance.now();
    const until = begun + seconds * 1000;
    await Promise.all(
      clients.map(async (client) => {
        while (performance.now() < until) await work(client, begunWorks++);
      }),
    );
    return begunWorks / ((performance.now() - begun) / 1000);
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
}
