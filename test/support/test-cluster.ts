import type { RunningPostgres } from '../../src/runtime/embedded-postgres/embedded-postgres';

/** What the global set-up leaves for the global tear-down, which runs in the same process. */
export const cluster: { running?: { readonly folder: string; readonly server: RunningPostgres } } = {};
