/** Whether one thing holds that an instance needs. */
type Check = 'ok' | 'fail';

/** What `/readyz` answers. */
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

/** What `/livez` answers, as long as the process can answer at all. */
export interface Liveness {
  readonly status: 'alive';
}
