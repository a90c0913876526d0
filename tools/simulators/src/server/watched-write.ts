import type { JsonObject } from '@app/mapper';

/** A row that was written, as it was and as it is. */
export interface WatchedWrite {
  /** A client of the API, a person at a screen, or a reading that brings a draft up to date. */
  readonly by: 'api' | 'edit' | 'reading';
  /** The resource or table. */
  readonly table: string;
  readonly id: string;
  /** Undefined for a new row. */
  readonly before: JsonObject | undefined;
  /** Undefined for one that is gone. */
  readonly after: JsonObject | undefined;
}

/** Told of every write once it is done, in order. What a platform holds at the start is none. */
export type Watch = (write: WatchedWrite) => void;
