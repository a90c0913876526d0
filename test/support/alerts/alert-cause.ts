import type { WatchedService } from './watched-service';

/** Something that alerts are about, made to happen, and mended as operators and customers do. */
export interface AlertCause {
  readonly alerts: readonly string[];
  readonly begin: () => Promise<void>;
  /** Happens again and again until the alerts fire. */
  readonly meanwhile?: () => Promise<void>;
  readonly end: () => Promise<void>;
}

/** Prepares a cause for a service. It has not begun. */
export type PrepareCause = (service: WatchedService) => AlertCause | Promise<AlertCause>;
