import type { JsonObject } from '@app/mapper';
import type { Applied } from '../../connector';
import type { Parents } from '../reading/parents-cache';
import { NOT_FOUND_WORDS } from './send';

/** The result of creating or updating a record. */
export type WriteResult =
  | Applied
  | { readonly status: 'rejected'; readonly reason: string; readonly current?: JsonObject }
  | { readonly status: 'conflict'; readonly current: JsonObject }
  | { readonly status: 'deferred'; readonly until: Date; readonly reason: string }
  | { readonly status: 'uncertain' };

/** A record that exists at the platform. */
export interface ExistingRecord {
  readonly id: string;
  readonly parents: Parents | undefined;
  readonly current: JsonObject;
}

/** The result for a record that cannot be found. */
export const recordIsGone: Extract<WriteResult, { status: 'rejected' }> = {
  status: 'rejected',
  reason: `the record ${NOT_FOUND_WORDS}`,
};
