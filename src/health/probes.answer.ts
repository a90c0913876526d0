import type { Verdict } from './verdicts';

/** What `/readyz` answers. */
export interface Readiness {
  readonly status: 'ready' | 'not_ready';
  readonly checks: {
    readonly database: Verdict;
    /** Whether the schema is what this release needs, or newer. */
    readonly migrations: Verdict;
    /** `fail` while the instance stops. */
    readonly running: Verdict;
  };
}

/** What `/livez` answers, as long as the process can answer at all. */
export interface Liveness {
  readonly status: 'alive';
}
