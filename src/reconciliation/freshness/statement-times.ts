import { Injectable } from '@nestjs/common';

/** Durations for statements, in milliseconds. Tests change them. */
@Injectable()
export class StatementTimes {
  /** How long a response waits for the comparisons to be updated. */
  wait = 2_500;
  /** How long an instance without a sign of life keeps the lease of a customer's comparisons. */
  lease = 15_000;
  /** Between two checks of another instance's work. */
  poll = 100;
  /** How long to wait for the moment between two changes. */
  lock = 2_000;
  /** Number of objects that are compared at a time. */
  page = 500;
  /** Maximum number of objects that may have changed since a time in the past; above it all are compared anew. */
  touched = 20_000;
  /** Maximum duration of a statement of the past. */
  past = 120_000;
  /** Milliseconds between two searches for customers whose comparisons are behind. */
  keep = 2_000;
  /** How long a customer must be without changes before a refresh in the background. */
  quiet = 1_000;
  /** The longest wait of a change during continuous changes, or while a platform is being read. */
  longestWait = 60_000;
  /** How long a customer waits after a failed refresh. */
  again = 60_000;
}
