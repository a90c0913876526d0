import { join } from 'node:path';
import { ROOT, startNode, type Child } from '../harness/children';

/** The service under test, in a process of its own. */
export interface Service extends Child {
  /** Without a slash at the end. */
  readonly url: string;
}

/** Further modules that the process loads before the service. */
export interface ServiceOptions {
  readonly folder: string;
  readonly name?: string;
  readonly preload?: readonly string[];
  readonly nodeOptions?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Starts the built service on a database, as operators run it: with its default log level, its log going to a file, on a
 * port that the system chooses.
 */
export async function startService(databaseUrl: string, options: ServiceOptions): Promise<Service> {
  const { folder, name = 'service', preload = [], nodeOptions = [], env = {} } = options;
  const child = startNode(
    [...nodeOptions, ...preload.flatMap((path) => ['-r', join(ROOT, path)]), join(ROOT, 'dist/src/main.js')],
    {
      output: join(folder, `${name}.log`),
      env: {
        NODE_ENV: 'production',
        DATABASE_URL: databaseUrl,
        PORT: '0',
        HOST: '127.0.0.1',
        METRICS_PORT: 'off',
        ...env,
      },
    },
  );
  const [, port] = await child.matches(/^Listening on http:\/\/\S+:(\d+)$/m);
  return { ...child, url: `http://127.0.0.1:${port}` };
}
