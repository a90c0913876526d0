import type { WatchedService } from './watched-service';

/** A fault that alerts report. The test causes it and repairs it as operators and customers do. */
export interface AlertCause {
  readonly alerts: readonly string[];
  readonly begin: () => Promise<void>;
  /** Repeated until the alerts fire. */
  readonly meanwhile?: () => Promise<void>;
  readonly end: () => Promise<void>;
}

/** Prepares a fault for a service, without causing it yet. */
export type PrepareCause = (service: WatchedService) => AlertCause | Promise<AlertCause>;
