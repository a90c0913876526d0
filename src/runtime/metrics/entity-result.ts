/**
 * What a connect did with records: stored them for the first time, replaced them, or linked them to another platform's
 * (a new one may be linked as well), marked them as deleted, or brought them back.
 */
export type EntityResult = 'new' | 'changed' | 'linked' | 'deleted' | 'returned';
