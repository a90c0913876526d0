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
  page = 200;
}
