import type { Environment } from '../config/environment';
import { startEmbeddedPostgres, type RunningPostgres } from '../embedded-postgres/embedded-postgres';

/** The database the environment names: one somewhere else, which is not ours to stop, or the embedded one. */
export function openDatabase(
  environment: Environment,
  log?: (line: string) => void,
): Promise<RunningPostgres> {
  const { databaseUrl, dataDir } = environment;
  if (databaseUrl !== undefined) return Promise.resolve({ url: databaseUrl, stop: () => Promise.resolve() });
  return startEmbeddedPostgres(dataDir, log && { log });
}
