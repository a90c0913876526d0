import type { Environment } from '../config/environment';
import { startEmbeddedPostgres, type RunningPostgres } from '../embedded-postgres/embedded-postgres';

/** The database of the environment: an external one, which the service does not stop, or the embedded one. */
export function openDatabase(
  environment: Environment,
  log?: (line: string) => void,
): Promise<RunningPostgres> {
  const { databaseUrl, dataDir } = environment;
  if (databaseUrl !== undefined) return Promise.resolve({ url: databaseUrl, stop: () => Promise.resolve() });
  return startEmbeddedPostgres(dataDir, log && { log });
}
