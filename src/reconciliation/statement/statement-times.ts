import { Injectable } from '@nestjs/common';

/** How long things of a statement take, in milliseconds. Tests set others. */
@Injectable()
export class StatementTimes {
  /** How long an answer waits for the comparisons to follow the records. */
  wait = 2_500;
  /** How long the comparisons of a customer belong to an instance that is not heard of. */
  lease = 15_000;
  /** Between two looks at the work of another instance. */
  look = 100;
  /** How long the moment between two changes is waited for. */
  lock = 2_000;
  /** Objects that are compared in one go. */
  page = 500;
  /** Objects that may have changed since a time in the past; beyond that all are compared anew. */
  touched = 20_000;
  /** How long a statement of the past may take. */
  past = 120_000;
  /** Between two looks for customers whose comparisons are behind. */
  keep = 2_000;
  /** How long nothing may have changed before they are refreshed in the background. */
  quiet = 1_000;
  /** How long a change waits at most where something changes all the time, or a platform is being read. */
  patience = 60_000;
  /** Before a customer whose refresh failed has its next turn. */
  again = 60_000;
}
