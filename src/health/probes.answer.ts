/** The result of one check. */
type Check = 'ok' | 'fail';

/** The answer of `/readyz`. */
export interface Readiness {
  readonly status: 'ready' | 'not_ready';
  readonly checks: {
    readonly database: Check;
    /** Whether the schema is what this release needs, or newer. */
    readonly migrations: Check;
    /** `fail` while the instance stops. */
    readonly running: Check;
  };
}

/** The answer of `/livez`, as long as the process can answer at all. */
export interface Liveness {
  readonly status: 'alive';
}
