import type { CheckResult } from './check-results';

/** What `/readyz` answers. */
export interface Readiness {
  readonly status: 'ready' | 'not_ready';
  readonly checks: {
    readonly database: CheckResult;
    /** Whether the schema is what this release needs, or newer. */
    readonly migrations: CheckResult;
    /** `fail` while the instance stops. */
    readonly running: CheckResult;
  };
}

/** The response of `/livez` while the process can respond. */
export interface Liveness {
  readonly status: 'alive';
}
