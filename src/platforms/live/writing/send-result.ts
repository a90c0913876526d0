import type { JsonObject } from '@app/mapper';

/** The platform confirms the call. */
export interface Done {
  readonly status: 'done';
  /** What the platform shows of the record; undefined if the response cannot be read. */
  readonly body: JsonObject | undefined;
  /** What the platform shows of a line of the record, if the call wrote one. */
  readonly line?: JsonObject;
}

/** The platform refuses the call for good. The call had no effect. */
export interface Rejected {
  readonly status: 'rejected';
  /** For people. */
  readonly reason: string;
}

/** The call had no effect and may be repeated at the given time. */
export interface Deferred {
  readonly status: 'deferred';
  readonly until: Date;
  readonly reason: string;
}

/** The call may have had its effect. */
export interface Uncertain {
  readonly status: 'uncertain';
  /** Until when the platform asks for no further calls. Absent if it names no time. */
  readonly until?: Date;
}

export const UNCERTAIN: Uncertain = { status: 'uncertain' };

/** The outcome of a call that may have had its effect, when the platform asks for no calls until a time. */
export function uncertainUntil(until: Date | undefined): Uncertain {
  return until === undefined ? UNCERTAIN : { status: 'uncertain', until };
}

/** The result of one writing call. */
export type CallResult = Done | Rejected | Deferred | Uncertain;

/** The call had no effect, because the record, or a part of it, does not exist. */
export interface Gone {
  readonly status: 'gone';
  readonly reason: string;
}

/** The call had no effect, because the record has another version by now. */
export interface Stale {
  readonly status: 'stale';
}

/** The call had no effect of its own, because another record has the key: perhaps what an earlier attempt has created. */
export interface KeyTaken {
  readonly status: 'duplicate';
  /** For people. */
  readonly reason: string;
}

/** The result of a call to an existing record. */
export type UpdateResult = CallResult | Gone | Stale;

/** The result of a call that creates a record. */
export type CreationResult = CallResult | Duplicate;

/** The call had no effect, because another record has the key. */
export interface Duplicate {
  readonly status: 'duplicate';
  /** The outcome if no record with the key has appeared since the notes. */
  readonly otherwise: Rejected | Deferred;
}
