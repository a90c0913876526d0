/**
 * The effect of a connect on a record: stored for the first time, replaced, linked to another platform's record (a new
 * record may be linked as well), marked as deleted, or restored.
 */
export type EntityResult = 'new' | 'changed' | 'linked' | 'deleted' | 'returned';
