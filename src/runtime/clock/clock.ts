/**
 * The time by the clock of the database. Instances compare times with each other through the database. A time that is
 * stored, or compared with a stored time, must therefore come from this class or from SQL, never from the process's
 * clock.
 */
export abstract class Clock {
  abstract now(): Date;
}
