import type { RunningPostgres } from '../../../src/runtime/embedded-postgres/embedded-postgres';

/** State that the global set-up passes to the global tear-down, which runs in the same process. */
export const cluster: { running?: { readonly folder: string; readonly server: RunningPostgres } } = {};
