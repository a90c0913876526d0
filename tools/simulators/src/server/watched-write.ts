import type { JsonObject } from '@app/mapper';

/** A write to a row, with its values before and after. */
export interface WatchedWrite {
  /** The author: a client of the API, a user of the platform, or a read that updates a draft. */
  readonly by: 'api' | 'edit' | 'reading';
  /** The resource or table. */
  readonly table: string;
  readonly id: string;
  /** Undefined for a new row. */
  readonly before: JsonObject | undefined;
  /** Undefined for a deleted row. */
  readonly after: JsonObject | undefined;
}

/** Called after every write, in order. The initial records are not writes. */
export type Watch = (write: WatchedWrite) => void;
