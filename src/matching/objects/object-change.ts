import type { StoredEntityType } from '@app/mapper';
import type { ChangeCause } from '../../records/change-cause';

/** A type, and the change by which records of the type come to other objects. */
export interface ObjectChange {
  readonly entityType: StoredEntityType;
  readonly cause: ChangeCause;
}
